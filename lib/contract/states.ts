/** Sources and statuses of calls. Separate from the schemas, so pages with filters load less. */
export const CALL_SOURCES = ['web', 'api', 'mcp', 'channel', 'cli'] as const;
export const CALL_STATUSES = ['running', 'succeeded', 'failed', 'timed_out', 'cancelled'] as const;
export const CALL_ERROR_KINDS = [
  'invalid_parameters',
  'execution_error',
  'schema_error',
  'not_found',
  'timeout',
  'cancelled',
  'extension_crashed',
  'extension_unavailable',
  'result_not_serializable',
  'result_too_large',
] as const;
export type CallSource = (typeof CALL_SOURCES)[number];
export type CallStatus = (typeof CALL_STATUSES)[number];
export type CallErrorKind = (typeof CALL_ERROR_KINDS)[number];

/** Maximum length of a search. */
export const CALL_SEARCH_MOST = 500;

/** Statuses of failure groups. Separate from the schemas, so pages with filters load less. */
export const GROUP_STATUSES = ['open', 'acknowledged', 'ignored', 'resolved'] as const;
export type GroupStatus = (typeof GROUP_STATUSES)[number];

/** Maximum length of a search. */
export const GROUP_SEARCH_MOST = 200;

/** Ends ignoring when different source fails the same way. */
export const UNTIL_CHANGED = 'changed';

/** Extension states. Separate from the schemas, so pages with filters load less. */
export const EXTENSION_KINDS = ['tools', 'tool', 'channel', 'mcp'] as const;
export const EXTENSION_RUNTIMES = ['node', 'python', 'mcp'] as const;
export const EXTENSION_STATES = ['loading', 'ready', 'degraded', 'failed', 'disabled', 'excluded'] as const;

/** `extension` of a built-in channel. */
export const CORE_EXTENSION = 'core';
