import { closeSync, openSync, readSync } from 'node:fs';

/**
 * V8's heap limit does not include Buffers, so the resident memory of processes is read (on Linux; elsewhere only V8's limit
 * applies): four times a second of processes that are busy or growing, every four seconds of the others. One timer for all; it does
 * not keep the host alive.
 */
export interface MemoryWatch {
  /** @param isAtWork whether it has pending requests of the host */
  watch(pid: number, isAtWork: () => boolean, onExceeded: (residentBytes: number) => void): () => void;
  close(): void;
}

interface Watched {
  isAtWork(): boolean;
  onExceeded(residentBytes: number): void;
  /** At the last reading. */
  resident: number;
  isGrowing: boolean;
}

const EVERY_MS = 250;
/** An idle process is read at one turn of this many, each at a different one. */
const TURNS = 16;
const GROWN_BYTES = 262_144;
const PAGE_BYTES = 4_096;

/** @param withChildren each child of a watched process has the same limit; exceeding it is reported for the watched process */
export function createMemoryWatch(limitBytes: number, withChildren = false): MemoryWatch {
  const watched = new Map<number, Watched>();
  let timer: NodeJS.Timeout | null = null;
  let turn = 0;

  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };

  const look = (): void => {
    turn = (turn + 1) % TURNS;
    for (const [pid, one] of watched) {
      if (!one.isGrowing && pid % TURNS !== turn && !one.isAtWork()) continue;
      const resident = withChildren ? largestResident(pid) : residentBytes(pid);
      if (resident === null) continue;
      one.isGrowing = resident > one.resident + GROWN_BYTES;
      one.resident = resident;
      if (resident > limitBytes) one.onExceeded(resident);
    }
  };

  return {
    watch(pid, isAtWork, onExceeded) {
      const one: Watched = { isAtWork, onExceeded, resident: 0, isGrowing: true };
      watched.set(pid, one);
      if (process.platform === 'linux') timer ??= setInterval(look, EVERY_MS).unref();
      return () => {
        if (watched.get(pid) === one) watched.delete(pid);
        if (watched.size === 0) stop();
      };
    },
    close() {
      watched.clear();
      stop();
    },
  };
}

/** The largest of the process and its descendants. */
function largestResident(pid: number, depth = 0): number | null {
  const own = residentBytes(pid);
  if (own === null || depth > MOST_GENERATIONS) return own;
  return Math.max(own, ...childrenOf(pid).map((child) => largestResident(child, depth + 1) ?? 0));
}

const MOST_GENERATIONS = 5;

/** Running children of a process; empty if unknown. */
export function childrenOf(pid: number): readonly number[] {
  const text = readProcessFile(`${pid}/task/${pid}/children`);
  return text === null || text === '' ? [] : text.split(' ').filter(Boolean).map(Number);
}

/** Resident memory; null if unknown: the process has exited, or this is not Linux. */
export function residentBytes(pid: number): number | null {
  const pages = Number(readProcessFile(`${pid}/statm`)?.split(' ', 2)[1] ?? Number.NaN);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
}

/** Larger files are truncated; those read here are far smaller, except a list of some hundred children. */
const bytes = Buffer.alloc(4_096);

/** The text of a small file below /proc, read into one buffer for all; null if there is none. */
export function readProcessFile(name: string): string | null {
  let file: number | null = null;
  try {
    file = openSync(`/proc/${name}`, 'r');
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
