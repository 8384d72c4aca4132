import { randomUUID } from 'node:crypto';
import type { SpanAttributes, Tracer } from '#lib/contract/tracing.ts';
import { createTracer } from './create-tracer.ts';
import { createPostSpans } from './post-spans.ts';
import type { Sampling } from './sampling.ts';
import { createSpanExporter } from './span-exporter.ts';

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

export interface OpenTracing {
  readonly tracer: Tracer;
  /** Sends what waits, for at most `limitMs`. */
  close(limitMs: number): Promise<void>;
}

/** Imported only where somebody collects spans, so that others pay nothing for it, at the start or later. */
export function openTracing(
  settings: TracingSettings,
  version: string,
  log: (level: 'warn' | 'info', message: string, fields: Readonly<Record<string, unknown>>) => void,
): OpenTracing {
  const to = new URL(settings.endpoint).host;
  const exporter = createSpanExporter({
    sender: {
      resource: {
        'service.version': version,
        'service.instance.id': randomUUID(),
        'process.pid': process.pid,
        'telemetry.sdk.language': 'nodejs',
        'telemetry.sdk.name': 'switchboard',
        'telemetry.sdk.version': version,
        ...settings.resource,
      },
      scope: { name: 'switchboard', version },
    },
    to: createPostSpans(settings),
    queueSize: settings.queueSize,
    delayMs: settings.delayMs,
    onTrouble(reason) {
      if (reason === null) log('info', 'Spans reach their collector again', { collector: to });
      else log('warn', 'Spans do not reach their collector; calls go on without it', { collector: to, reason });
    },
  });
  return { tracer: createTracer({ sampling: settings.sampling, exporter }), close: (limitMs) => exporter.close(limitMs) };
}
