import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Registry } from 'prom-client';
import type { Member, Principal } from '#lib/access/principal.ts';
import type { Accounts, Caller } from '#lib/accounts/accounts.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { Host } from '#lib/host/host.ts';
import type { Requester } from './middleware/request-headers.ts';
import type { EventStreams } from './node/event-streams.ts';
import type { McpConnections } from './node/mcp-connections.ts';

/** The head of a request. Everything decided before reading a body uses it. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Settles when an answer is sent whose body goes on after the handler. */
    sent?: Promise<void>;
  };
}

/** The server, as far as handlers need it. */
export interface ApiServer {
  /** Null until it exists. */
  readonly host: Host | null;
  /** Requests are rejected. */
  readonly isStopping: boolean;
  /** Requests are still served, and `/readyz` asks for no more. */
  readonly isDraining: boolean;
  readonly streams: EventStreams | null;
  readonly mcp: McpConnections | null;
  /** Of the server; `/metrics` adds those of the host. */
  readonly metrics: Registry;
}

/** A request after authentication, authorization, limits and validation. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly context: Context<ApiEnv>;
  readonly host: Host;
  readonly server: ApiServer;
  readonly principal: Principal;
  /** The decoded variable path segment; '' for none. */
  readonly parameter: string;
  /** The second variable segment; empty without one. */
  readonly part: string;
  readonly query: Query;
  readonly body: Body;
  readonly requester: Requester;
  /** `Idempotency-Key` on routes that run a tool; null without one. */
  readonly key: string | null;
  header(name: string): string | undefined;
  /** Adds to the audit entry. Never secrets or file contents. */
  note(detail: AuditDetail): void;
}

/** Further fields of a request, by what its route needs. */
export interface Needed {
  none: unknown;
  /** `member`: null for a token or nobody. */
  accounts: { readonly accounts: Accounts; readonly member: Member | null; readonly caller: Caller };
  /** A signed-in person. */
  member: Needed['accounts'] & { readonly member: Member };
}

/** Multiple values as one text. */
export function headerOf({ headers }: Pick<RequestHead, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * One-file tools and channels have a slash in their id (`tools/slugify`), which is two segments in a URL. No extension can be
 * named `tools` or `channels`, so the id is unambiguous.
 */
const ID_IN_TWO = /^((?:\/api\/v1)?\/extensions\/(?:tools|channels))\/(?=[A-Za-z])/;

/** @param target of a request @returns it with such an id as one segment */
export function withEncodedId(target: string): string {
  return target.replace(ID_IN_TWO, '$1%2F');
}
