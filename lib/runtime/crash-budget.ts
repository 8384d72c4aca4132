import { LIMITS } from '#lib/contract/limits.ts';

/**
 * How often an extension may die before it is left alone: LIMITS.crashesAllowed unexpected exits within
 * LIMITS.crashWindowMs end the restarts; until then each restart waits longer than the last (0.5 s doubling to 60 s,
 * with jitter, so that many extensions that died of one cause do not come back in one instant).
 */
export interface CrashBudget {
  /** Records an unexpected exit. */
  crash(): { readonly exhausted: true } | { readonly exhausted: false; readonly waitMs: number };
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
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const JITTER = 0.2;

export function createCrashBudget({ elapsed, random }: CrashBudgetOptions): CrashBudget {
  let recent: number[] = [];
  let total = 0;
  let exhausted = false;
  return {
    crash() {
      const time = elapsed();
      total += 1;
      recent = [...recent.filter((at) => time - at < LIMITS.crashWindowMs), time];
      if (recent.length >= LIMITS.crashesAllowed) {
        exhausted = true;
        return { exhausted: true };
      }
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (recent.length - 1));
      return { exhausted: false, waitMs: Math.round(wait * (1 - JITTER * random())) };
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
