import { readFileSync } from 'node:fs';

/**
 * V8's heap limit does not include Buffers, so the resident memory of every process is read four times a second (on Linux;
 * elsewhere only V8's limit applies). One timer for all; it does not keep the host alive.
 */
export interface MemoryWatch {
  watch(pid: number, onExceeded: (residentBytes: number) => void): () => void;
  close(): void;
}

const EVERY_MS = 250;
const PAGE_BYTES = 4_096;

/** @param withChildren each child of a watched process has the same limit; exceeding it is reported for the watched process */
export function createMemoryWatch(limitBytes: number, withChildren = false): MemoryWatch {
  const watched = new Map<number, (residentBytes: number) => void>();
  let timer: NodeJS.Timeout | null = null;

  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };

  const look = (): void => {
    for (const [pid, onExceeded] of watched) {
      const resident = withChildren ? largestResident(pid) : residentBytes(pid);
      if (resident !== null && resident > limitBytes) onExceeded(resident);
    }
  };

  return {
    watch(pid, onExceeded) {
      watched.set(pid, onExceeded);
      if (process.platform === 'linux') timer ??= setInterval(look, EVERY_MS).unref();
      return () => {
        if (watched.get(pid) === onExceeded) watched.delete(pid);
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
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Resident memory; null if unknown: the process has exited, or this is not Linux. */
export function residentBytes(pid: number): number | null {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
  } catch {
    return null;
  }
}
