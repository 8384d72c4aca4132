import { LIMITS } from '#lib/contract/limits.ts';
import { refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

/**
 * A password costs a tenth of a second of a processor and 16 MB each time it is hashed, which is what makes it hard to guess. What
 * can go wrong: many at once take the machine from the calls of tools, so few run at a time, some wait, and the others are refused.
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
          return refuse('too_many_attempts', 'Too many people sign in at this moment. Try again in a few seconds.', { retryAfter: 5 });
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
