import type { Action } from './actions.ts';
import type { AuditDetail, AuditOutcome } from './audit.ts';
import type { Result } from './result.ts';

/**
 * What the HTTP room and the MCP room hand each other: the transport knows no protocol, the protocol no sockets. Texts
 * are JSON-RPC messages, in parts so that a long one that many answers share is not copied for each.
 */
export type McpText = readonly (string | Uint8Array)[];

/** Where the messages that belong to one request go. Everything after the answer is dropped. */
export interface McpReply {
  /** Something said before the answer; makes the answer an event stream. Dropped when the reader is too far behind. */
  notify(text: string): void;
  /** The answer. `status` counts only while nothing was said before. */
  answer(status: number, text: McpText, headers?: Readonly<Record<string, string>>): void;
  /** Ends without an answer, as for a request that the client cancelled. */
  drop(): void;
  /** Called once when the client goes away before the answer. */
  onGone(listener: () => void): void;
}

/** A stream that is kept open: for notices that belong to no request. */
export interface McpStream {
  send(text: string): void;
  end(): void;
  /** Called once when it ends, whoever ended it. */
  onEnd(listener: () => void): void;
}

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

export interface McpPost extends McpHeaders, McpReply {
  /** Takes the message: it needs no answer. */
  accept(): void;
  /** Turns the answer into a kept stream; refused when too many are open. */
  open(): Result<McpStream>;
}

export interface McpGet extends McpHeaders {
  open(): Result<McpStream>;
}

export interface McpEndpoint {
  /** One `POST`; what could not be read arrives as a refusal. */
  post(exchange: McpPost, body: Result<unknown>): Promise<void>;
  /** `GET`: the stream of a client of the 2025 protocols. A refusal is answered by the transport. */
  get(exchange: McpGet): Result<null>;
  /** `DELETE`: a client of the 2025 protocols ends its session. */
  delete(exchange: McpHeaders): Result<null>;
  /** Ends all streams, telling those who listen. */
  close(): void;
}
