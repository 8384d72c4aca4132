import type { Action } from './actions.ts';
import type { AuditDetail } from './audit.ts';
import type { AuditOutcome } from './audit-events.ts';
import type { Result } from './result.ts';

/** Whose messages these are, as far as it matters for what is shown and kept. */
export interface McpCaller {
  /** What is kept for one caller is kept under it, for no other; null where there are no accounts. */
  readonly key: string | null;
  /** What histories call him; null: as his client calls itself. */
  readonly actor: string | null;
  /** The tools that he may see and call; null for any. */
  readonly tools: ReadonlySet<string> | null;
  /** Whether it is of use to show it to him. Without accounts it always is: there, rights are proven when they are used. */
  may(action: Action, resource: string | null): boolean;
}

export interface McpHeaders {
  readonly caller: McpCaller;
  /** Writes down what came of something administrative, where there are accounts. */
  tell(action: Action, target: string | null, outcome: AuditOutcome, detail: AuditDetail): void;
  header(name: string): string | undefined;
  /** Whether who sent it may; where that needs the admin token, a wrong one counts as a guess. */
  authorize(action: Action, resource: string | null): Result<unknown>;
}

/** A stream, or nothing but a status, is a standard `Response`; a JSON text would be read back from one as a stream. */
export type McpAnswer = Response | McpJson;

export interface McpJson {
  readonly status: number;
  /** In parts, so that a long one that many answers share is not copied for each. */
  readonly json: readonly (string | Uint8Array)[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request and its connection. */
export interface McpExchange extends McpHeaders {
  /** Called once: the connection was closed, or the stream has to end. Also after an answer that was sent completely. */
  onClose(listener: () => void): void;
  /** Whether the client has not read what was sent before: notifications are dropped then, the result never. */
  isBehind(): boolean;
  /** Counts the answer as a stream that stays open; refused when too many are open. A client that does not read it is cut off. */
  keepOpen(): Result<null>;
}

/** What the API serves at `/mcp`: the protocol, without sockets. A refusal is answered by the API. */
export interface McpEndpoint {
  /** One `POST`; a body that could not be read arrives as a refusal. */
  post(exchange: McpExchange, body: Result<unknown>): Promise<McpAnswer>;
  /** `GET`: the stream of a client of the 2025 protocols. */
  get(exchange: McpExchange): Promise<Result<Response>>;
  /** `DELETE`: a client of the 2025 protocols ends its session. */
  delete(headers: McpHeaders): Result<null>;
  /** Ends all streams, telling those who listen. */
  close(): void;
}
