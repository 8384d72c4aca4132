import { performance } from 'node:perf_hooks';

/**
 * Whether a write is waited for where it is made, or left to a thread. A thread costs two changes of it for each write, more than a
 * quick disk takes; a slow disk would hold up everything. So writes are waited for as long as they are quick as a rule. After one that
 * held everything up, and where the last ones have become slow, a thread has them for a hundred times as long as that has taken: what
 * is slow is waited for in a hundredth of the time at most, however slow it is.
 */
export interface WritePace {
  /** The next one is to be waited for. */
  waits(): boolean;
  /** How long one took that was waited for, in milliseconds. */
  took(ms: number): void;
}

const QUICK_MS = 0.4;
const HELD_UP_MS = 2;
const PAUSE_TIMES = 100;
/** As many writes as count for the rule. */
const LAST = 16;

/** `now` in milliseconds. */
export function createWritePace(now: () => number = () => performance.now()): WritePace {
  let threadUntil = -Infinity;
  let average = 0;
  return {
    waits: () => now() >= threadUntil,
    took(ms) {
      average += (ms - average) / LAST;
      if (ms <= HELD_UP_MS && average <= QUICK_MS) return;
      threadUntil = now() + Math.max(ms, average * LAST) * PAUSE_TIMES;
      average = 0;
    },
  };
}
