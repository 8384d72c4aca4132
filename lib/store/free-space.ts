import { statfsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/**
 * Whether the disk that holds the database has hardly any room left. It is asked before SQLite finds out: what is free by then is
 * kept for the ends of calls that run, which must not wait, while no new call is taken.
 *
 * What can go wrong: the file system cannot be asked (it is taken to have room, and a write that is refused tells); its answer is
 * old (a quarter of a second); a quota that it does not tell of, or room kept for the administrator (a refused write tells).
 */
export interface FreeSpace {
  isShort(): boolean;
}

const LEAST_BYTES = 1_048_576;
const OLD_MS = 250;

/** In blocks of `bsize` bytes, as statfs tells them: what anybody may have, and the administrator. */
interface Blocks {
  readonly bsize: number;
  readonly bavail: number;
  readonly bfree: number;
}

/** @param folder on the disk in question */
export function isDiskFull(folder: string, ask: (folder: string) => Blocks = statfsSync): boolean {
  try {
    const { bavail, bfree, bsize } = ask(folder);
    return (process.geteuid?.() === 0 ? bfree : bavail) * bsize < LEAST_BYTES;
  } catch {
    return false;
  }
}

export function createFreeSpace(folder: string, ask: (folder: string) => Blocks = statfsSync): FreeSpace {
  let isShort = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    isShort() {
      const now = performance.now();
      if (now - askedAt >= OLD_MS) {
        askedAt = now;
        isShort = isDiskFull(folder, ask);
      }
      return isShort;
    },
  };
}
