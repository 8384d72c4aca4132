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

/** Our own spans, by what others see of them. */
const contexts = new WeakMap<Span, TraceContext>();
const NAME_LENGTH = 200;
const NO_ATTRIBUTES: SpanAttributes = {};

/** Begins spans, knows which is the current one, and hands those that are collected to `exporter`, which it does not own. */
export function createTracer({ sampling, exporter }: TracerOptions): Tracer {
  const current = new AsyncLocalStorage<Span>();

  function parentOf({ parent }: SpanOptions): TraceContext | null {
    if (parent === undefined || parent === null) return contextOf(current.getStore());
    return 'run' in parent ? contextOf(parent) : (readTraceContext(parent) ?? contextOf(current.getStore()));
  }

  return {
    begin(name, options = {}) {
      const parent = parentOf(options);
      const traceId = parent?.traceId ?? randomId(16);
      const context: TraceContext = {
        traceId,
        spanId: randomId(8),
        isSampled: isSampled(sampling, traceId, parent),
        state: parent?.state ?? null,
        isRemote: false,
      };
      const startedAt = performance.now();
      let attributes = options.attributes ?? NO_ATTRIBUTES;
      let isEnded = false;
      const span: Span = {
        traceparent: traceparentOf(context),
        traceId,
        set(more) {
          if (context.isSampled) attributes = { ...attributes, ...more };
        },
        end(error = null) {
          if (isEnded) return;
          isEnded = true;
          if (!context.isSampled) return;
          const kind = options.kind ?? 'internal';
          const endedAt = performance.now();
          exporter.add({ name: name.slice(0, NAME_LENGTH), kind, context, parent, attributes, startedAt, endedAt, error });
        },
        run: (work) => current.run(span, work),
      };
      contexts.set(span, context);
      return span;
    },
    counts: exporter.counts,
  };
}

function contextOf(span: Span | undefined): TraceContext | null {
  return span === undefined ? null : (contexts.get(span) ?? null);
}
