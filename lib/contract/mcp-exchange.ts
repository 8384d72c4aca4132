import type { Action } from './actions.ts';
import type { AuditDetail } from './audit.ts';
import type { AuditOutcome } from './audit-events.ts';
import type { Result } from './result.ts';

/** What an address offers. */
export interface McpScope {
  /** Null: all tools. */
  readonly toolset: string | null;
  /** `?mode=search`: three tools to find and call the others. */
  readonly isSearch: boolean;
}

/** Of `/mcp`. */
export const FULL_SCOPE: McpScope = { toolset: null, isSearch: false };

/** The caller of MCP messages. */
export interface McpCaller {
  /** Key for state of this caller; null without accounts. */
  readonly key: string | null;
  /** Actor in records; null: the client's own name. */
  readonly actor: string | null;
  /** Id of the member who calls, or owns the token. */
  readonly member: string | undefined;
  readonly scope: McpScope;
  /** Visible and callable tools; null for all. */
  readonly tools: ReadonlySet<string> | null;
  /** Whether to list an item. Without accounts always: rights are checked on use. */
  may(action: Action, resource: string | null): boolean;
}

export interface McpHeaders {
  readonly caller: McpCaller;
  /** Audits an administrative action, with accounts. */
  audit(action: Action, target: string | null, outcome: AuditOutcome, detail: AuditDetail): void;
  header(name: string): string | undefined;
  /** Authorizes the message; a wrong admin token counts as an attempt. */
  authorize(action: Action, resource: string | null): Promise<Result<unknown>>;
}

/** Streams and plain statuses are a `Response`; JSON is text, so that arrays of messages are joined without reading it back. */
export type McpAnswer = Response | McpJson;

export interface McpJson {
  readonly status: number;
  /** In parts where many answers share a long list. */
  readonly json: string | readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonText({ json }: Pick<McpJson, 'json'>): string {
  return typeof json === 'string' ? json : json.map((part) => new TextDecoder().decode(part)).join('');
}

/** A request and its connection. */
export interface McpExchange extends McpHeaders {
  /** Called once when the connection closes or the stream must end, also after a complete answer. */
  onClose(listener: () => void): void;
  /** Whether the client reads too slowly: then notifications are dropped, never the result. */
  isBehind(): boolean;
  /** Counts the answer as an open stream; rejected if too many are open. Slow clients are disconnected. */
  keepOpen(): Result<null>;
}

/** MCP without sockets, served at `/mcp`. The API answers rejections. */
export interface McpEndpoint {
  /** Handles a `POST`; an unreadable body arrives as a rejection. */
  post(exchange: McpExchange, body: Result<unknown>): Promise<McpAnswer>;
  /** `GET`: notification stream of a 2025 session. */
  get(exchange: McpExchange): Promise<Result<Response>>;
  /** `DELETE`: ends a 2025 session. */
  delete(headers: McpHeaders): Promise<Result<null>>;
  /** Ends all streams and notifies subscribers. */
  close(): void;
}
