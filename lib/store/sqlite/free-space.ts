import { statfsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/**
 * Whether the disk with the database is nearly full. Checked before SQLite fails: the remaining space is reserved for
 * the ends of running calls, which must not wait, while new calls are refused.
 *
 * What can go wrong:
 * - the file system cannot be asked: it is assumed to have space, and a refused write shows otherwise;
 * - its answer is old: by a quarter of a second;
 * - a quota it does not report, or space reserved for the administrator: a refused write shows it.
 */
export interface FreeSpace {
  isShort(): boolean;
}

const LEAST_BYTES = 1_048_576;
const OLD_MS = 250;

/** In blocks of `bsize` bytes, as in statfs: available to everybody, and to the administrator. */
interface Blocks {
  readonly bsize: number;
  readonly bavail: number;
  readonly bfree: number;
}

/** @param folder on the disk to check */
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
