import { randomUUID } from 'node:crypto';
import { type ExportResult, ExportResultCode, SDK_INFO, W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  BatchSpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Sampler, ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { SpanAttributes, Tracer, RemoteParent, Span, SpanOptions, SpanCounts } from '#lib/contract/tracing.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api';
import { OTLPExporterBase, OTLPExporterError } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import * as z from 'zod';

/** Settings from the variables of OpenTelemetry. */
export interface TracingSettings {
  /** Complete URL for spans. */
  readonly endpoint: string;
  /** May hold secrets; never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Include `service.name`. */
  readonly resource: SpanAttributes;
  readonly sampling: Sampling;
  readonly queueSize: number;
  readonly delayMs: number;
}

/** Which traces are collected. `follows`: the caller decides for its traces; `share` (0 to 1) is for those that begin here. */
export interface Sampling {
  readonly follows: boolean;
  readonly share: number;
}

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Sends queued spans, for at most `limitMs`. */
  close(limitMs: number): Promise<void>;
}

const TELL_AGAIN_MS = 60_000;

/** Imported only where an endpoint is set: without one, OpenTelemetry costs nothing. */
export function openTracing(
  settings: TracingSettings,
  version: string,
  log: (level: 'warn' | 'info', message: string, fields: Readonly<Record<string, unknown>>) => void,
): OpenTracing {
  const collector = new URL(settings.endpoint).host;
  let isReported = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  function onBatch(reason: string | null): void {
    if (reason === null) {
      if (isReported) log('info', 'The collector accepts spans again', { collector });
      isReported = false;
    } else if (performance.now() - reportedAt >= TELL_AGAIN_MS) {
      isReported = true;
      reportedAt = performance.now();
      log('warn', 'The collector does not accept spans; calls continue without it', { collector, reason });
    }
  }

  const processor = createSpanProcessor({ ...settings, onBatch });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...SDK_INFO,
      'service.version': version,
      'service.instance.id': randomUUID(),
      'process.pid': process.pid,
      ...settings.resource,
    }),
    sampler: samplerOf(settings.sampling),
    spanProcessors: [processor],
  });

  return {
    tracer: createTracer(provider.getTracer('switchboard', version), processor.counts),
    async close(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      // It rejects when sending fails, which is already counted and logged.
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
    },
  };
}

export function samplerOf({ follows, share }: Sampling): Sampler {
  const root = share >= 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(share);
  return follows ? new ParentBasedSampler({ root }) : root;
}

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

/**
 * Sends ended spans to a collector over OTLP/HTTP in JSON, in batches and in the background. What can go wrong:
 * - the collector is slow or down: spans wait in a bounded queue; spans beyond its limit are dropped and counted;
 * - it refuses spans: the exporter retries within its timeout, then the batch counts as refused;
 * - it accepts some spans, or answers with a web page: the response says so although its status is 200.
 */
interface SpanProcessorOptions {
  /** The complete URL. */
  readonly endpoint: string;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly queueSize: number;
  /** A full batch is sent at once, other spans after this delay. */
  readonly delayMs: number;
  /** Called after each batch: with the reason when the collector did not accept all of it, else with null. */
  onBatch(trouble: string | null): void;
}

interface CountingProcessor extends SpanProcessor {
  counts(): SpanCounts;
}

/** Serializing a batch of this size takes about a millisecond. */
const BATCH = 256;
const SOCKETS = 4;

function createSpanProcessor({ endpoint, headers, timeoutMs, queueSize, delayMs, onBatch }: SpanProcessorOptions): CountingProcessor {
  const counts = { sent: 0, dropped: 0, refused: 0 };
  let waiting = 0;
  /** The exporter reads a response and reports its result in one step, so this is the response of that result. */
  let answer = ACCEPTED;

  const exporter = new OTLPExporterBase(
    createOtlpHttpExportDelegate<ReadableSpan[], object>(
      {
        url: endpoint,
        headers: async () => ({ ...headers, 'content-type': 'application/json' }),
        timeoutMillis: timeoutMs,
        // A stop sends the complete queue at once.
        concurrencyLimit: Math.ceil(queueSize / BATCH) + 1,
        compression: 'none',
        agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, maxSockets: SOCKETS, timeout: timeoutMs }),
      },
      {
        serializeRequest: (spans) => JsonTraceSerializer.serializeRequest(spans),
        deserializeResponse(data) {
          answer = readAnswer(data);
          return {};
        },
      },
      'otlp_http_span_exporter',
      TraceExporterMetricsHelper,
      undefined,
    ),
  );

  function count(result: ExportResult, size: number): void {
    const { rejected, reason } = result.code === ExportResultCode.SUCCESS ? answer : { rejected: size, reason: reasonOf(result.error) };
    answer = ACCEPTED;
    const refused = Math.min(rejected, size);
    counts.refused += refused;
    counts.sent += size - refused;
    onBatch(refused > 0 ? reason : null);
  }

  const batches = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          count(result, spans.length);
          done(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: queueSize,
    maxExportBatchSize: Math.min(BATCH, queueSize),
    scheduledDelayMillis: delayMs,
  });

  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= queueSize) {
        counts.dropped += 1;
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
    counts: () => ({ ...counts }),
  };
}

interface Answer {
  readonly rejected: number;
  readonly reason: string;
}

const ACCEPTED: Answer = { rejected: 0, reason: '' };
const WEB_PAGE: Answer = { rejected: Number.POSITIVE_INFINITY, reason: 'a web page answers at its address' };
const REASON_LENGTH = 500;
const answerSchema = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().int().min(0).default(0), errorMessage: z.string().default('') }),
});

/** The body of a response with status 2xx. */
function readAnswer(data: Uint8Array): Answer {
  const text = new TextDecoder().decode(data).trim();
  if (text.startsWith('<')) return WEB_PAGE;
  const { partialSuccess } = answerSchema.safeParse(parsed(text)).data ?? {};
  if (partialSuccess === undefined) return ACCEPTED;
  const { rejectedSpans: rejected, errorMessage } = partialSuccess;
  return { rejected, reason: `it refused ${rejected} spans${errorMessage === '' ? '' : `: ${errorMessage.slice(0, REASON_LENGTH)}`}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: Error | undefined): string {
  if (error instanceof OTLPExporterError)
    return error.code === undefined ? 'it answers that it is too busy' : `it answered with status ${error.code}`;
  // Node's error for a host with several addresses has a code and no message.
  return error?.message || String(Reflect.get(error ?? {}, 'code') ?? 'unknown');
}
