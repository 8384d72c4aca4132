/**
 * Tracing interface. Without a collector the tracer is null, and callers skip spans.
 *
 * Attributes contain names, ids, counts and codes; never arguments, results, messages or headers, which may contain secrets.
 */
export interface Tracer {
  /** Child of `parent`, else of the active span, if any. */
  begin(name: string, options?: SpanOptions): Span;
  counts(): SpanCounts;
}

export interface Span {
  /** W3C Trace Context header. */
  readonly traceparent: string;
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** Idempotent. `error`: a value from a closed list, such as an error kind. */
  end(error?: string | null): void;
  /** Spans started during `work`, also asynchronously, are children of this span. */
  run<Value>(work: () => Value): Value;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Our span, or a client's `traceparent`; an invalid one is ignored. */
  readonly parent?: Span | RemoteParent | null;
  readonly attributes?: SpanAttributes;
}

/** W3C Trace Context headers of the client. */
export interface RemoteParent {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export type SpanKind = 'internal' | 'server' | 'client';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Since the start. */
export interface SpanCounts {
  readonly sent: number;
  /** The queue was full. */
  readonly dropped: number;
  /** Rejected by the collector. */
  readonly refused: number;
}
