import type { Result, ServerContext } from '@modelcontextprotocol/server';
import type { McpExchange } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import type { Authoring } from './authoring.ts';
import { clientName } from './client-name.ts';
import type { Params, RpcFailure } from './json-rpc.ts';
import { LOG_LEVELS, META } from './protocol.ts';
import type { McpLogLevel } from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Catalogues, ServerInfo } from './tool-catalogue.ts';

/** What the methods are made of. */
export interface MethodsContext {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly catalogues: Catalogues;
  readonly authoring: Authoring | null;
  readonly sessions: Sessions;
}

/** All that is known of one request beside its params. */
export interface Asking {
  readonly context: MethodsContext;
  readonly exchange: McpExchange;
  /** Null for a client that goes without, as it may, and for all of the stateless protocol. */
  readonly session: Session | null;
  readonly isModern: boolean;
  readonly ctx: ServerContext;
}

export type Outcome = { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly failure: RpcFailure };
export type Method = (params: Params, asking: Asking) => Outcome | Promise<Outcome>;

interface Client {
  readonly name: string | null;
  /** The least level of log lines that it is told; null for none. */
  readonly logLevel: McpLogLevel | null;
}

/** Who asks: told by his session, and in the stateless protocol with each request, where the core has seen that it fits. */
export function clientOf({ session, isModern, ctx }: Asking): Client {
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
