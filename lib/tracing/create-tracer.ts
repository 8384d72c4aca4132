import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RemoteParent, Span, SpanAttributes, SpanOptions, Tracer } from '#lib/contract/tracing.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT };
const NO_OPTIONS: SpanOptions = {};

/** The spans of an OpenTelemetry tracer behind our interface; the current span follows asynchronous work. */
export function createTracer(otel: OtelTracer, counts: Tracer['counts']): Tracer {
  const current = new AsyncLocalStorage<ActiveSpan>();
  const propagator = new W3CTraceContextPropagator();

  class ActiveSpan implements Span {
    readonly context: Context;
    /** From `performance.now()` to the time of day; one per trace, so that an inner span never ends after its outer one. */
    readonly epoch: number;
    readonly #span: OtelSpan;

    constructor(name: string, { kind = 'internal', parent = null, attributes = {} }: SpanOptions) {
      const outer = parent instanceof ActiveSpan ? parent : current.getStore();
      const local = outer?.context ?? ROOT_CONTEXT;
      const context = isRemote(parent) ? propagator.extract(local, parent, defaultTextMapGetter) : local;
      this.epoch = outer?.epoch ?? Date.now() - performance.now();
      this.#span = otel.startSpan(name, { kind: KINDS[kind], attributes, startTime: this.epoch + performance.now() }, context);
      this.context = trace.setSpan(context, this.#span);
    }

    get traceId(): string {
      return this.#span.spanContext().traceId;
    }

    get traceparent(): string {
      const headers: Record<string, string> = {};
      propagator.inject(this.context, headers, defaultTextMapSetter);
      return headers['traceparent'] ?? '';
    }

    set(attributes: SpanAttributes): void {
      if (this.#span.isRecording()) this.#span.setAttributes(attributes);
    }

    end(error: string | null = null): void {
      if (!this.#span.isRecording()) return;
      if (error !== null) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      this.#span.end(this.epoch + performance.now());
    }

    run<Value>(work: () => Value): Value {
      return current.run(this, work);
    }
  }

  return { begin: (name, options = NO_OPTIONS) => new ActiveSpan(name, options), counts };
}

function isRemote(parent: Span | RemoteParent | null): parent is RemoteParent {
  return parent !== null && !('run' in parent);
}
