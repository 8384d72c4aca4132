import type { ExtensionResources, ResourceSample } from '#lib/contract/extension-process.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { processUse } from '#lib/runtime/process-use.ts';
import type { ProcessUse } from '#lib/runtime/process-use.ts';

/**
 * What the processes of extensions use, looked at every few seconds and kept for a while: a ring of numbers for each extension,
 * filled only while it has a process.
 * What can go wrong: a process that ends between two looks (no sample), another one under the same extension (its processor
 * time begins anew, so its first sample has none), extensions that come and go (a ring goes with its extension), a machine
 * that cannot tell (it is said, instead of showing nothing).
 */
export interface ResourceSamples {
  read(extension: string): Pick<ExtensionResources, 'unavailable' | 'every_ms' | 'samples'>;
  close(): void;
}

export interface ResourceSamplesOptions {
  /** All extensions there are; `pid` is null of those without a process. */
  list(): readonly { readonly id: string; readonly revision: number | null; readonly pid: number | null }[];
  readonly use?: (pid: number) => ProcessUse | null;
  readonly now?: () => number;
  readonly everyMs?: number;
  readonly platform?: string;
}

const EVERY_MS = 5_000;
const FIELDS = 4;

interface Ring {
  /** Time, revision, bytes and percent of each sample, one after the other. */
  readonly numbers: Float64Array;
  count: number;
  last: { readonly pid: number; readonly at: number; readonly cpuMs: number } | null;
}

export function createResourceSamples(options: ResourceSamplesOptions): ResourceSamples {
  const { use = processUse, now = Date.now, everyMs = EVERY_MS, platform = process.platform } = options;
  const rings = new Map<string, Ring>();

  function look(): void {
    const extensions = options.list();
    const known = new Set(extensions.map(({ id }) => id));
    for (const id of rings.keys()) if (!known.has(id)) rings.delete(id);
    for (const { id, revision, pid } of extensions) {
      const used = pid === null || revision === null ? null : use(pid);
      const ring = rings.get(id) ?? { numbers: new Float64Array(FIELDS * LIMITS.resourceSamplesKept), count: 0, last: null };
      if (used === null || pid === null || revision === null) {
        ring.last = null;
        continue;
      }
      rings.set(id, ring);
      const at = now();
      const { last } = ring;
      const cpu = last === null || last.pid !== pid || at <= last.at ? Number.NaN : ((used.cpuMs - last.cpuMs) / (at - last.at)) * 100;
      ring.numbers.set([at, revision, used.memoryBytes, cpu], FIELDS * (ring.count % LIMITS.resourceSamplesKept));
      ring.count += 1;
      ring.last = { pid, at, cpuMs: used.cpuMs };
    }
  }

  const timer = platform === 'linux' ? setInterval(look, everyMs).unref() : null;

  return {
    read(extension) {
      // Who asks just after a start need not wait for the first look.
      if (timer !== null && !rings.has(extension)) look();
      const ring = rings.get(extension);
      return {
        unavailable: timer === null ? 'Memory and processor time of processes are read from /proc, which only Linux has.' : null,
        every_ms: everyMs,
        samples: ring === undefined ? [] : samplesOf(ring),
      };
    },
    close() {
      if (timer !== null) clearInterval(timer);
      rings.clear();
    },
  };
}

function samplesOf({ numbers, count }: Ring): ResourceSample[] {
  const kept = Math.min(count, LIMITS.resourceSamplesKept);
  return Array.from({ length: kept }, (_, place) => {
    const from = FIELDS * ((count - kept + place) % LIMITS.resourceSamplesKept);
    const [at = 0, revision = 0, memory = 0, cpu = Number.NaN] = numbers.subarray(from, from + FIELDS);
    return {
      at: new Date(at).toISOString(),
      revision,
      memory_bytes: memory,
      cpu_percent: Number.isNaN(cpu) ? null : Math.max(0, Math.round(cpu * 10) / 10),
    };
  });
}
