import { LIMITS } from '#lib/contract/limits.ts';
import type { CrashBreaker } from './crash-breaker.ts';

/**
 * How often an extension may die before it is left alone: LIMITS.crashesAllowed unexpected exits within
 * LIMITS.crashWindowMs end the restarts; until then each restart waits longer than the last (0.5 s doubling to 60 s,
 * with jitter, so that many extensions that died of one cause do not come back in one instant).
 */
export interface CrashBudget {
  /** Records an unexpected exit. */
  crash(): { readonly exhausted: true } | { readonly exhausted: false; readonly waitMs: number; readonly isHeld: boolean };
  isExhausted(): boolean;
  /** Unexpected exits since the last reset. */
  count(): number;
  reset(): void;
}

export interface CrashBudgetOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Absent: nobody looks at all extensions together. */
  readonly breaker?: CrashBreaker | undefined;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const JITTER = 0.2;

export function createCrashBudget({ elapsed, random, breaker }: CrashBudgetOptions): CrashBudget {
  let recent: number[] = [];
  let total = 0;
  let exhausted = false;
  return {
    crash() {
      const time = elapsed();
      const hold = breaker?.crash() ?? 0;
      total += 1;
      recent = [...recent.filter((at) => time - at < LIMITS.crashWindowMs), time];
      if (recent.length >= LIMITS.crashesAllowed) {
        exhausted = true;
        return { exhausted: true };
      }
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (recent.length - 1));
      const own = Math.round(wait * (1 - JITTER * random()));
      const held = Math.round(hold * (1 + JITTER * random()));
      return { exhausted: false, waitMs: Math.max(own, held), isHeld: held > own };
    },
    isExhausted: () => exhausted,
    count: () => total,
    reset() {
      recent = [];
      total = 0;
      exhausted = false;
    },
  };
}
