import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '#lib/contract/tracing.ts';
import { isSampled } from './sampling.ts';
import type { Sampling } from './sampling.ts';
import type { SpanExporter } from './span-exporter.ts';
import { randomId, readTraceContext, traceparentOf } from './trace-context.ts';
import type { TraceContext } from './trace-context.ts';

export interface TracerOptions {
  readonly sampling: Sampling;
  readonly exporter: SpanExporter;
}

const NAME_LENGTH = 200;
const NO_OPTIONS: SpanOptions = {};

/** Begins spans, knows which is the current one, and hands those that are collected to `exporter`, which it does not own. */
export function createTracer({ sampling, exporter }: TracerOptions): Tracer {
  const current = new AsyncLocalStorage<OwnSpan>();

  /** Three of these belong to each call: its methods are shared, and nothing is made that is not needed. */
  class OwnSpan implements Span {
    readonly context: TraceContext;
    readonly #name: string;
    readonly #options: SpanOptions;
    readonly #parent: TraceContext | null;
    readonly #startedAt = performance.now();
    #more: SpanAttributes | null = null;
    #isEnded = false;

    constructor(name: string, options: SpanOptions) {
      const parent = parentOf(options);
      const traceId = parent === null ? randomId(16) : parent.traceId;
      this.#name = name;
      this.#options = options;
      this.#parent = parent;
      this.context = {
        traceId,
        spanId: randomId(8),
        isSampled: isSampled(sampling, traceId, parent),
        state: parent === null ? null : parent.state,
        isRemote: false,
      };
    }

    get traceId(): string {
      return this.context.traceId;
    }

    get traceparent(): string {
      return traceparentOf(this.context);
    }

    set(more: SpanAttributes): void {
      if (this.context.isSampled) this.#more = this.#more === null ? more : { ...this.#more, ...more };
    }

    end(error: string | null = null): void {
      if (this.#isEnded) return;
      this.#isEnded = true;
      const { context } = this;
      if (!context.isSampled) return;
      const { kind = 'internal', attributes = null } = this.#options;
      exporter.add({
        name: this.#name.slice(0, NAME_LENGTH),
        kind,
        context,
        parent: this.#parent,
        attributes,
        more: this.#more,
        startedAt: this.#startedAt,
        endedAt: performance.now(),
        error,
      });
    }

    run<Value>(work: () => Value): Value {
      return current.run(this, work);
    }
  }

  function parentOf({ parent }: SpanOptions): TraceContext | null {
    if (parent instanceof OwnSpan) return parent.context;
    const remote = parent === undefined || parent === null || 'run' in parent ? null : readTraceContext(parent);
    return remote ?? current.getStore()?.context ?? null;
  }

  return { begin: (name, options = NO_OPTIONS) => new OwnSpan(name, options), counts: exporter.counts };
}
