import { readFileSync } from 'node:fs';

/**
 * V8's own limit does not see Buffers, so the resident memory of every process is read four times a second (Linux;
 * elsewhere V8's limit is the only one). One timer for all; it does not keep the host alive.
 */
export interface MemoryWatch {
  watch(pid: number, onExceeded: (residentBytes: number) => void): () => void;
  close(): void;
}

const EVERY_MS = 250;
const PAGE_BYTES = 4_096;

/** @param withChildren each process that a watched one has started is held to the limit too, and told as the watched one's */
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

/** Of the process and of all that came from it, the largest. */
function largestResident(pid: number, depth = 0): number | null {
  const own = residentBytes(pid);
  if (own === null || depth > MOST_GENERATIONS) return own;
  return Math.max(own, ...childrenOf(pid).map((child) => largestResident(child, depth + 1) ?? 0));
}

const MOST_GENERATIONS = 5;

/** Processes that this one has started and that still run; none where it cannot be told. */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Resident memory; null where it cannot be told: the process is gone, or this is not Linux. */
export function residentBytes(pid: number): number | null {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
  } catch {
    return null;
  }
}
