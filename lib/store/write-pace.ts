import { performance } from 'node:perf_hooks';

/**
 * Whether a write is waited for where it is made, or left to a thread. A thread costs two changes of it for each write, more than a
 * quick disk takes; a slow disk would hold up everything. So writes are waited for as long as they are quick as a rule. How long the
 * slow ones took is owed, and paid back by the time that passes, a hundredth of it: what is slow is waited for in a hundredth of the
 * time, however slow it is. While more is owed than what a quick disk owes now and then, a thread has the writes.
 */
export interface WritePace {
  /** The next one is to be waited for. */
  waits(): boolean;
  /** How long one took that was waited for, in milliseconds. */
  took(ms: number): void;
}

const QUICK_MS = 0.4;
const HELD_UP_MS = 2;
/** A quick disk has one slow write or two a second under load, when the database is copied and synced beside it. */
const OWED_MOST_MS = 20;
const PAID_BACK_PER_MS = 0.01;
/** As many writes as count for the rule. */
const LAST = 16;

/** `now` in milliseconds. */
export function createWritePace(now: () => number = () => performance.now()): WritePace {
  let owed = 0;
  let asOf = now();
  let average = 0;

  function stillOwed(): number {
    const time = now();
    owed = Math.max(0, owed - (time - asOf) * PAID_BACK_PER_MS);
    asOf = time;
    return owed;
  }

  return {
    waits: () => stillOwed() <= OWED_MOST_MS,
    took(ms) {
      average += (ms - average) / LAST;
      if (ms <= HELD_UP_MS && average <= QUICK_MS) return;
      owed = stillOwed() + Math.max(ms, average * LAST);
      average = 0;
    },
  };
}
