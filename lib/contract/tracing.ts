/**
 * Tracing interface. Without a collector the tracer is null, and callers skip spans.
 *
 * Attributes contain names, ids, counts and codes; never arguments, results, messages or headers, which may contain secrets.
 */
export interface Tracer {
  /** Part of `parent`; without one, of the span in whose course this runs, if any. */
  begin(name: string, options?: SpanOptions): Span;
  counts(): SpanCounts;
}

export interface Span {
  /** As the header of W3C Trace Context hands it on. */
  readonly traceparent: string;
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** The first end counts. `error`: a word from a closed list, such as the kind of an error. */
  end(error?: string | null): void;
  /** What is begun in the course of `work`, also later, is part of this span. */
  run<Value>(work: () => Value): Value;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** A span of ours, or what a client sent as `traceparent`; what is none is as if it were not there. */
  readonly parent?: Span | RemoteParent | null;
  readonly attributes?: SpanAttributes;
}

/** Headers of W3C Trace Context, as they came. */
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
  /** The collector did not take them. */
  readonly refused: number;
}
