import { randomUUID } from 'node:crypto';
import { SDK_INFO } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { SpanAttributes, Tracer } from '#lib/contract/tracing.ts';
import { createTracer } from './create-tracer.ts';
import { createSpanProcessor } from './span-processor.ts';

/** What the variables of OpenTelemetry ask for. */
export interface TracingSettings {
  /** Where spans are posted, the path included. */
  readonly endpoint: string;
  /** May hold secrets; never logged. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** `service.name` among them. */
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
  /** Sends the spans that wait, for at most `limitMs`. */
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
  let isTold = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  function onBatch(reason: string | null): void {
    if (reason === null) {
      if (isTold) log('info', 'Spans reach their collector again', { collector });
      isTold = false;
    } else if (performance.now() - toldAt >= TELL_AGAIN_MS) {
      isTold = true;
      toldAt = performance.now();
      log('warn', 'Spans do not reach their collector; calls go on without it', { collector, reason });
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
      // It rejects when spans could not be sent, which is counted and logged.
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
    },
  };
}

export function samplerOf({ follows, share }: Sampling): Sampler {
  const root = share >= 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(share);
  return follows ? new ParentBasedSampler({ root }) : root;
}
