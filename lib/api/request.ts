import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { Registry } from 'prom-client';
import type { Principal } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import type { Requester } from './middleware/requester.ts';
import type { EventStreams } from './node/event-streams.ts';
import type { McpSockets } from './node/mcp-sockets.ts';

/** The head of a request as Node has it. Everything that is decided before a body is read is decided from it. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Of Node's server; absent where another server (Next alone) has read the request. */
export interface ApiBindings {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
}

export interface ApiEnv {
  Bindings: ApiBindings;
  /** Set by authorization, read by what comes after it. */
  Variables: {
    principal: Principal;
    /** The decoded variable segment of the path; '' where it has none. */
    parameter: string;
    /** The action of the audit entry; null for none. */
    audited: Action | null;
    noted: AuditDetail;
    /** Called when the request is over, where a limit counts it. */
    leave: (() => void) | null;
  };
}

export type ApiContext = Context<ApiEnv>;

/**
 * A step of the middleware: lets a request pass or refuses it. Steps are no handlers of Hono's, since each of those would keep a frame
 * and a promise while a call runs, which doubled the time of V8's collector.
 */
export type Check = (context: ApiContext) => Result<unknown>;

/** The server around the routes, as far as handlers need it. */
export interface ApiServer {
  /** Null until it is made. */
  readonly host: Host | null;
  /** Requests are refused. */
  readonly isStopping: boolean;
  /** Requests are still served, and `/readyz` says that no more should be sent. */
  readonly isDraining: boolean;
  readonly streams: EventStreams | null;
  readonly mcp: McpSockets | null;
  /** Of the server itself; those of the host are beside them in `/metrics`. */
  readonly metrics: Registry;
  /** Counts a call as under way until it has ended. */
  countCall<Value>(call: Promise<Value>): Promise<Value>;
}

/** What a handler is given: the request after authentication, authorization, limits and validation. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly context: ApiContext;
  readonly host: Host;
  readonly server: ApiServer;
  readonly principal: Principal;
  /** Of the client, as far as it is known through proxies; '' where it is not. */
  readonly address: string;
  /** The decoded variable segment of the path; '' where it has none. */
  readonly parameter: string;
  readonly query: Query;
  readonly body: Body;
  readonly requester: Requester;
  /** Of `Idempotency-Key`, on routes that run a tool; null without one. */
  readonly key: string | null;
  header(name: string): string | undefined;
  /** Adds to the audit entry of this request. Never secrets, never the text of a file. */
  note(detail: AuditDetail): void;
}

/** From what Node has parsed, else from the standard Request. */
export function headOf(context: ApiContext): RequestHead {
  const { incoming } = context.env ?? {};
  if (incoming !== undefined) return incoming;
  const { method, url, headers } = context.req.raw;
  const { pathname, search } = new URL(url);
  return {
    method,
    url: pathname + search,
    headers: Object.fromEntries(headers),
    rawHeaders: [...headers].flat(),
    socket: {},
  };
}

/** A header with several values as one text. */
export function headerOf({ headers }: Pick<RequestHead, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
