import { LIMITS } from '#lib/contract/limits.ts';
import { refuse, type Result } from '#lib/contract/result.ts';

/**
 * Hashing a password takes a tenth of a second and 16 MB. What can go wrong: many at once would slow down calls, so few run at
 * a time, some wait, and the rest are rejected.
 */
export interface PasswordChecks {
  run<Value>(work: () => Promise<Result<Value>>): Promise<Result<Value>>;
}

export function createPasswordChecks(
  atOnce: number = LIMITS.passwordChecksAtOnce,
  mostWaiting: number = LIMITS.passwordChecksWaiting,
): PasswordChecks {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(work) {
      if (running >= atOnce) {
        if (waiting.length >= mostWaiting)
          return refuse('too_many_attempts', 'Too many sign-ins at the moment. Try again in a few seconds.', { retryAfter: 5 });
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
