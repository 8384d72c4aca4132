import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily, MetricSample } from '#lib/contract/metrics.ts';

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99];

/** The host's own process. Its event loop is watched from the first look on, so that it costs nothing where nobody looks. */
export interface ProcessMetrics {
  families(): readonly MetricFamily[];
  close(): void;
}

export function createProcessMetrics(): ProcessMetrics {
  let delay: LoopDelay | null = null;

  /** Since the look before; empty at the first. */
  function lag(): MetricSample[] {
    if (delay === null) {
      delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      delay.enable();
      return [];
    }
    const watched = delay;
    const samples = watched.count === 0 ? [] : QUANTILES.map((quantile) => lagSample(watched, quantile));
    watched.reset();
    return samples;
  }

  return {
    families() {
      const { user, system } = process.cpuUsage();
      const memory = process.memoryUsage();
      return [
        gauge('switchboard_event_loop_lag_seconds', 'How late the event loop was since the previous scrape.', lag()),
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
    close: () => void delay?.disable(),
  };
}

function lagSample(delay: LoopDelay, quantile: number): MetricSample {
  const late = delay.percentile(quantile * 100) / 1_000_000 - RESOLUTION_MS;
  return { labels: { quantile: String(quantile) }, value: Math.max(0, late) / 1_000 };
}

export function gauge(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name, help, type: 'gauge', samples };
}

export function plain(value: number): MetricSample {
  return { labels: {}, value };
}
