/**
 * API of 'switchboard' for extension authors. Types are optional.
 * At run time the host provides its own module (lib/runtime/children/author-module.ts).
 */

export interface ToolContext {
  /** Aborted on cancellation or timeout. */
  readonly signal: AbortSignal;
  readonly log: {
    debug(message: unknown, data?: unknown): void;
    info(message: unknown, data?: unknown): void;
    warn(message: unknown, data?: unknown): void;
    error(message: unknown, data?: unknown): void;
  };
  /** Reports progress, shown live. `total` in the same unit as `done`. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Asks the caller to fill in a form while the tool runs. `schema` has the fields, like `parameters`: texts, numbers, booleans and
   * choices. Rejects with the reason if nobody can answer.
   */
  elicit(message: string, schema: Record<string, unknown>): Promise<ElicitAnswer>;
  /** Asks the caller's language model for a message. Rejects with the reason if there is none. */
  sample(request: string | SampleRequest): Promise<SampleAnswer>;
  readonly call_id: string;
  /** Absolute path; WORKSPACE_ROOT of the host. */
  readonly workspace_root: string;
  /** With tracing: W3C Trace Context of this call, to send as the header `traceparent`. */
  readonly traceparent?: string;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** With `accept`: the values. */
  readonly content?: Record<string, any>;
}

/** `sampling/createMessage` of the Model Context Protocol. */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: Record<string, unknown> }[];
  readonly systemPrompt?: string;
  /** 1,000 by default. */
  readonly maxTokens?: number;
  readonly [name: string]: unknown;
}

export interface SampleAnswer {
  readonly role: 'user' | 'assistant';
  /** A content block, such as `{ type: 'text', text }`. */
  readonly content: any;
  readonly model: string;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** One tool. `parameters` is a JSON Schema with `type: "object"`, or the shorthand `{ city: { type: "string", required: true } }`. */
export interface Tool<Args = Record<string, any>> {
  /** A tag that groups tools. */
  label: string;
  /** Globally unique; preferably snake_case. */
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  execute(args: Args, ctx: ToolContext): unknown;
  annotations?: ToolAnnotations;
  /** Milliseconds; CALL_TIMEOUT_MS by default. */
  timeout_ms?: number;
  output_schema?: Record<string, unknown>;
  examples?: readonly unknown[];
}

/** A message of a channel. */
export interface Message {
  text: string;
  sender: string;
  channel: string;
  metadata?: Record<string, unknown>;
  /**
   * Unique among all messages of the channel. From `recv`: a second message with it is dropped, such as one that the service
   * delivers again. In `send`: the same for each attempt, so that the service can drop repeats.
   */
  idempotency_key?: string;
}

const TOOL_ERROR_KINDS = ['invalid_parameters', 'execution_error', 'schema_error', 'not_found'] as const;
export type ToolErrorKind = (typeof TOOL_ERROR_KINDS)[number];

const isKind = (text: unknown): text is ToolErrorKind => TOOL_ERROR_KINDS.some((kind) => kind === text);

/**
 * An error that says what was wrong and what is right. The kind may also be a separate argument, after or before the message,
 * followed by the data.
 */
export class ToolError extends Error {
  readonly kind: ToolErrorKind;
  readonly data: unknown;

  constructor(message: string, options?: { kind?: ToolErrorKind; data?: unknown });
  constructor(message: string, kind: ToolErrorKind, data?: unknown);
  constructor(kind: ToolErrorKind, message: string, data?: unknown);
  constructor(first: string, second: string | { kind?: ToolErrorKind; data?: unknown } = {}, data?: unknown) {
    const isKindFirst = typeof second === 'string' && isKind(first) && !isKind(second);
    super(isKindFirst ? second : first);
    const kind = isKindFirst ? first : typeof second === 'string' ? second : second.kind;
    this.name = 'ToolError';
    this.kind = isKind(kind) ? kind : 'execution_error';
    this.data = typeof second === 'string' ? data : second.data;
  }
}
