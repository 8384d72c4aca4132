import * as z from 'zod';
import type { JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';
import type { McpExchange, McpJson } from '#lib/contract/mcp-exchange.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { type AskKind, askKindsOf } from '#lib/contract/client-asks.ts';
import type { Host } from '#lib/host/host.ts';
import type { Authoring } from './authoring.ts';
import type { OpenCalls } from './caller-answers.ts';
import type { Session, Sessions } from './sessions.ts';
import type { RunningTasks } from './tasks.ts';
import type { Catalogues, ServerInfo } from './tool-catalogue.ts';

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

/** Each method declares its params. */
const NOTHING_NAMED = z.unknown();

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** A JSON-RPC error. */
export interface RpcFailure {
  /** HTTP status; 200 by default, since errors of methods are not HTTP errors. */
  readonly status?: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** For the `WWW-Authenticate` header. */
  readonly challenge?: string | undefined;
}

/** An error before a server exists for the message. */
export interface Refusal extends RpcFailure {
  readonly status: number;
}

/**
 * The id is null if it could not be read. JSON-RPC requires that; the MCP schema allows an absent id and no null, but the
 * official servers send null, and clients read such a body by its status alone.
 */
export function failureAnswer(id: RequestId | null, { status = 200, code, message, data, challenge }: RpcFailure): McpJson {
  const error = data === undefined ? { code, message } : { code, message, data };
  const json = JSON.stringify({ jsonrpc: '2.0', id, error });
  return challenge === undefined ? { status, json } : { status, json, headers: { 'www-authenticate': challenge } };
}

export function invalidParams(error: z.ZodError, expected: string): RpcFailure {
  const [issue] = fieldIssues('The value', NOTHING_NAMED, error.issues);
  return { code: RPC.invalidParams, message: `Invalid params: ${issue?.message ?? ''} ${expected}` };
}

/** Dependencies of the methods. */
export interface MethodsContext {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly catalogues: Catalogues;
  readonly authoring: Authoring | null;
  readonly sessions: Sessions;
  readonly openCalls: OpenCalls;
  readonly tasks: RunningTasks;
}

/** Context of a request. */
export interface RequestContext {
  readonly context: MethodsContext;
  readonly exchange: McpExchange;
  /** Null for clients without a session, which is allowed, and in the stateless protocol. */
  readonly session: Session | null;
  readonly isModern: boolean;
  readonly ctx: ServerContext;
  /** Writes a request to the stream of this one. */
  send(request: JSONRPCRequest): void;
}

export type Outcome = { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly failure: RpcFailure };
export type Method = (params: Params, requestContext: RequestContext) => Outcome | Promise<Outcome>;

interface Client {
  readonly name: string | null;
  /** Minimum level of log notifications; null for none. */
  readonly logLevel: McpLogLevel | null;
}

/**
 * Name of the client: from its session, or in the stateless protocol from the request's metadata, which the SDK has validated.
 */
export function clientOf({ session, isModern, ctx }: RequestContext): Client {
  if (!isModern) return { name: session?.clientName ?? null, logLevel: session?.logLevel ?? null };
  const said: Params = { ...ctx.mcpReq.envelope };
  const info = said[META.clientInfo];
  const level = said[META.logLevel];
  const name: unknown = typeof info === 'object' && info !== null ? Reflect.get(info, 'name') : undefined;
  return {
    name: typeof name === 'string' ? clientName(name) : null,
    logLevel: level === undefined ? null : (LOG_LEVELS.find((known) => known === level) ?? null),
  };
}

const NONE: readonly AskKind[] = [];

/** Questions that the client of a request of the stateless protocol can answer. */
export function askKindsIn({ mcpReq }: ServerContext): readonly AskKind[] {
  const said: Params = { ...mcpReq.envelope };
  const capabilities = said[META.clientCapabilities];
  return typeof capabilities === 'object' && capabilities !== null && Object.keys(capabilities).length > 0
    ? askKindsOf(capabilities)
    : NONE;
}

/** Metadata of the client for a server; that of the protocol and of Switchboard belongs to this hop. */
export function proxiedMeta({ mcpReq }: ServerContext): { readonly _meta?: Record<string, unknown> } {
  const { _meta } = mcpReq;
  if (_meta === undefined) return {};
  const own = Object.entries(_meta).filter(([name]) => !OWN_META.test(name));
  return own.length === 0 ? {} : { _meta: Object.fromEntries(own) };
}

const OWN_META = /^(?:io\.modelcontextprotocol\/|switchboard\/|progressToken$)/;

const NAME_LENGTH = 100;

/** Client name for the history: one line without invisible characters. Null if nothing is left. */
export function clientName(given: string): string | null {
  const name = given.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  return name === '' ? null : name.slice(0, NAME_LENGTH).toWellFormed();
}
