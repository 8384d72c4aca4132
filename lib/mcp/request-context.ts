import type { JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';
import { askKindsOf } from '#lib/contract/client-asks.ts';
import type { AskKind } from '#lib/contract/client-asks.ts';
import type { McpExchange } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import type { Authoring } from './authoring.ts';
import type { OpenCalls } from './caller-answers.ts';
import type { Params, RpcFailure, McpLogLevel } from './protocol.ts';
import { LOG_LEVELS, META } from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';
import type { RunningTasks } from './tasks.ts';
import type { Catalogues, ServerInfo } from './tool-catalogue.ts';

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
