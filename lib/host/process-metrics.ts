import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { addCounter, addGauge, addGaugeBy } from './collected-metrics.ts';

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99];
const SPAN_MS = 10_000;
/** Spans of the last minute that are over. */
const SPANS = 6;

/**
 * The host's own process. Its event loop is watched from the first look on, so that it costs nothing where nobody looks; and by
 * the clock, not from look to look, as who looks would take from the others what they have not seen yet.
 */
export interface ProcessMetrics {
  close(): void;
}

export function createProcessMetrics(registry: Registry): ProcessMetrics {
  let delay: LoopDelay | null = null;
  let turning: NodeJS.Timeout | undefined;
  let spans: (readonly number[])[] = [];

  function watch(): LoopDelay {
    const watched = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    watched.enable();
    turning = setInterval(() => {
      if (watched.count > 0) spans = [...spans.slice(1 - SPANS), lagOf(watched)];
      watched.reset();
    }, SPAN_MS).unref();
    return watched;
  }

  /** Of each quantile the worst of the last minute; empty at the first look. */
  function lag(): [string, number][] {
    delay ??= watch();
    const seen = delay.count === 0 ? spans : [...spans, lagOf(delay)];
    if (seen.length === 0) return [];
    return QUANTILES.map((quantile, at) => [String(quantile), Math.max(...seen.map((span) => span[at] ?? 0))]);
  }

  addGaugeBy(
    registry,
    'quantile',
    'switchboard_event_loop_lag_seconds',
    'How late the event loop was, the worst ten seconds of the last minute.',
    lag,
  );
  addGauge(registry, 'process_resident_memory_bytes', 'Resident memory of the host.', () => process.memoryUsage.rss());
  addGauge(registry, 'nodejs_heap_used_bytes', 'Used part of the heap of the host.', () => process.memoryUsage().heapUsed);
  addGauge(registry, 'process_start_time_seconds', 'Start of the host, in seconds since 1970.', () => performance.timeOrigin / 1_000);
  addCounter(registry, 'process_cpu_seconds_total', 'Processor time of the host.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });

  return {
    close() {
      clearInterval(turning);
      delay?.disable();
    },
  };
}

/** In seconds, by quantile. */
function lagOf(delay: LoopDelay): number[] {
  return QUANTILES.map((quantile) => Math.max(0, delay.percentile(quantile * 100) / 1_000_000 - RESOLUTION_MS) / 1_000);
}
