/** Constants of both protocol generations: with a handshake (2025), and stateless. */
export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const LATEST_LEGACY_VERSION = LEGACY_VERSIONS[0];
/** The only version with arrays of messages. */
export const BATCH_VERSION = '2025-03-26';

export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  refused: -32_000,
  sessionNotFound: -32_001,
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
  urlElicitationRequired: -32_042,
} as const;

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  /** Our metadata of a result: the id of the call in the history. */
  callId: 'switchboard/call_id',
  /** Our metadata of a call: its timeout. */
  timeoutMs: 'switchboard/timeout_ms',
} as const;

export const HEADERS = {
  protocolVersion: 'mcp-protocol-version',
  session: 'mcp-session-id',
  method: 'mcp-method',
  name: 'mcp-name',
  /** The same as a header, for clients that only configure headers. */
  timeoutMs: 'x-timeout-ms',
} as const;

/** By severity. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type McpLogLevel = (typeof LOG_LEVELS)[number];

export function isLegacyVersion(version: string): boolean {
  return LEGACY_VERSIONS.some((known) => known === version);
}
