import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily, MetricSample } from '#lib/contract/metrics.ts';

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
  families(): readonly MetricFamily[];
  close(): void;
}

export function createProcessMetrics(): ProcessMetrics {
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
  function lag(): MetricSample[] {
    delay ??= watch();
    const seen = delay.count === 0 ? spans : [...spans, lagOf(delay)];
    if (seen.length === 0) return [];
    return QUANTILES.map((quantile, at) => ({
      labels: { quantile: String(quantile) },
      value: Math.max(...seen.map((span) => span[at] ?? 0)),
    }));
  }

  return {
    families() {
      const { user, system } = process.cpuUsage();
      const memory = process.memoryUsage();
      return [
        gauge('switchboard_event_loop_lag_seconds', 'How late the event loop was, the worst ten seconds of the last minute.', lag()),
        gauge('process_resident_memory_bytes', 'Resident memory of the host.', [plain(memory.rss)]),
        gauge('nodejs_heap_used_bytes', 'Used part of the heap of the host.', [plain(memory.heapUsed)]),
        gauge('process_start_time_seconds', 'Start of the host, in seconds since 1970.', [plain(performance.timeOrigin / 1_000)]),
        {
          name: 'process_cpu_seconds_total',
          help: 'Processor time of the host.',
          type: 'counter',
          samples: [plain((user + system) / 1_000_000)],
        },
      ];
    },
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

export function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', samples };
}

export function plain(value: number): MetricSample {
  return { labels: {}, value };
}
