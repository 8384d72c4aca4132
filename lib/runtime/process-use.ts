import { readFileSync } from 'node:fs';
import { childrenOf } from './memory-watch.ts';

/** What a process and all that came from it use: resident memory now, processor time since they began. */
export interface ProcessUse {
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

const PAGE_BYTES = 4_096;
/** The kernel tells every program times in hundredths of a second. */
const MS_A_TICK = 10;
const MOST_GENERATIONS = 5;
/** Of /proc/<pid>/stat, counted from what follows the name: utime, stime, cutime, cstime, and the pages that are resident. */
const TIMES = [11, 12, 13, 14];
const RESIDENT = 21;

/**
 * Two small files for each process, some hundredths of a millisecond. Null where it cannot be told: the process is gone, or
 * this is not Linux. Time of children that have ended is in that of their parent, so the sum never falls.
 */
export function processUse(pid: number, generation = 0): ProcessUse | null {
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
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // A name may hold blanks and brackets; it ends with the last of them.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const number = (at: number): number => Number(fields[at] ?? Number.NaN);
    const memoryBytes = number(RESIDENT) * PAGE_BYTES;
    const cpuMs = TIMES.reduce((sum, at) => sum + number(at), 0) * MS_A_TICK;
    return Number.isFinite(memoryBytes) && Number.isFinite(cpuMs) ? { memoryBytes, cpuMs } : null;
  } catch {
    return null;
  }
}
