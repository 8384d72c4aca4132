import type { ExtensionResources, ResourceSample } from '#lib/contract/extension-reports.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { childrenOf, readProcessFile } from '#lib/runtime/memory-watch.ts';

/**
 * Recent resource use of extension processes: a ring buffer for each extension, filled only while it has a
 * process. It is sampled every few seconds while someone reads the samples, else once a minute.
 * What can go wrong: a process ends between two samples (no sample); the extension gets a new process (its CPU time
 * starts again, so its first sample has none); extensions are added and removed (the buffer is removed with the extension);
 * the platform has no data (reported, instead of showing nothing).
 */
export interface ResourceSamples {
  /** Samples it often from now on, until nobody has read it for a while. */
  read(extension: string): Pick<ExtensionResources, 'unavailable' | 'every_ms' | 'unread_every_ms' | 'samples'>;
  close(): void;
}

export interface Sampled {
  readonly id: string;
  readonly revision: number | null;
  /** Null without a process. */
  readonly pid: number | null;
}

export interface ResourceSamplesOptions {
  list(): readonly Sampled[];
  /** Undefined for an unknown extension. */
  get(id: string): Sampled | undefined;
  readonly use?: (pid: number) => ProcessUse | null;
  readonly now?: () => number;
  readonly everyMs?: number;
  readonly unreadEveryMs?: number;
  readonly platform?: string;
}

const EVERY_MS = 5_000;
const UNREAD_EVERY_MS = 60_000;
/** Intervals without a read after which it is sampled rarely. */
const UNREAD_AFTER = 6;
const FIELDS = 4;

interface Ring {
  /** Time, revision, bytes and percent of each sample, in sequence. */
  readonly numbers: Float64Array;
  count: number;
  last: { readonly pid: number; readonly at: number; readonly cpuMs: number } | null;
}

export function createResourceSamples(options: ResourceSamplesOptions): ResourceSamples {
  const { use = processUse, now = Date.now, everyMs = EVERY_MS, unreadEveryMs = UNREAD_EVERY_MS, platform = process.platform } = options;
  const rings = new Map<string, Ring>();
  /** Time of the last read of each extension. */
  const readers = new Map<string, number>();
  let often: NodeJS.Timeout | null = null;

  function sample({ id, revision, pid }: Sampled): void {
    const used = pid === null || revision === null ? null : use(pid);
    if (used === null || pid === null || revision === null) {
      const ring = rings.get(id);
      if (ring !== undefined) ring.last = null;
      return;
    }
    const ring = rings.get(id) ?? { numbers: new Float64Array(FIELDS * LIMITS.resourceSamplesKept), count: 0, last: null };
    rings.set(id, ring);
    const at = now();
    const { last } = ring;
    const cpu = last === null || last.pid !== pid || at <= last.at ? Number.NaN : ((used.cpuMs - last.cpuMs) / (at - last.at)) * 100;
    ring.numbers.set([at, revision, used.memoryBytes, cpu], FIELDS * (ring.count % LIMITS.resourceSamplesKept));
    ring.count += 1;
    ring.last = { pid, at, cpuMs: used.cpuMs };
  }

  function sampleAll(): void {
    const extensions = options.list();
    const known = new Set(extensions.map(({ id }) => id));
    for (const id of rings.keys()) if (!known.has(id)) rings.delete(id);
    for (const extension of extensions) if (!readers.has(extension.id)) sample(extension);
  }

  function sampleRead(): void {
    for (const [id, at] of readers) {
      const extension = now() - at > UNREAD_AFTER * everyMs ? undefined : options.get(id);
      if (extension === undefined) readers.delete(id);
      else sample(extension);
    }
    if (readers.size > 0 || often === null) return;
    clearInterval(often);
    often = null;
  }

  const timer = platform === 'linux' ? setInterval(sampleAll, unreadEveryMs).unref() : null;

  return {
    read(id) {
      const extension = timer === null ? undefined : options.get(id);
      if (extension !== undefined) {
        // The first reader gets a sample immediately.
        if (!readers.has(id)) sample(extension);
        readers.set(id, now());
        often ??= setInterval(sampleRead, everyMs).unref();
      }
      const ring = rings.get(id);
      return {
        unavailable: timer === null ? 'Memory and processor time of processes are read from /proc, which only Linux has.' : null,
        every_ms: everyMs,
        unread_every_ms: unreadEveryMs,
        samples: ring === undefined ? [] : samplesOf(ring),
      };
    },
    close() {
      if (timer !== null) clearInterval(timer);
      if (often !== null) clearInterval(often);
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

/** Resource use of a process and its descendants: current resident memory, CPU time since their start. */
export interface ProcessUse {
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

const PAGE_BYTES = 4_096;
/** The kernel reports times to programs in hundredths of a second. */
const MS_A_TICK = 10;
const MOST_GENERATIONS = 5;
/** Fields of /proc/<pid>/stat after the name: utime, stime, cutime, cstime, and resident pages. */
const TIMES = [11, 12, 13, 14];
const RESIDENT = 21;

/**
 * Reads two small files per process, in some hundredths of a millisecond. Null when unavailable: the process is gone, or
 * this is not Linux. CPU time of ended children is in their parent's, so the sum never decreases.
 */
function processUse(pid: number, generation = 0): ProcessUse | null {
  const own = readStat(pid);
  if (own === null || generation === MOST_GENERATIONS) return own;
  let { memoryBytes, cpuMs } = own;
  for (const child of childrenOf(pid)) {
    const use = processUse(child, generation + 1);
    memoryBytes += use?.memoryBytes ?? 0;
    cpuMs += use?.cpuMs ?? 0;
  }
  return { memoryBytes, cpuMs };
}

function readStat(pid: number): ProcessUse | null {
  const text = readProcessFile(`${pid}/stat`);
  if (text === null) return null;
  // A name may contain blanks and brackets; it ends with the last of them.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (at: number): number => Number(fields[at] ?? Number.NaN);
  const memoryBytes = number(RESIDENT) * PAGE_BYTES;
  const cpuMs = TIMES.reduce((sum, at) => sum + number(at), 0) * MS_A_TICK;
  return Number.isFinite(memoryBytes) && Number.isFinite(cpuMs) ? { memoryBytes, cpuMs } : null;
}
