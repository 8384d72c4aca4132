import { createHash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { CountElsewhere } from './wrong-attempts.ts';
import { createWrongAttempts } from './wrong-attempts.ts';

/**
 * The admin token. Wrong tokens are counted per address, which slows guessing; hashes of equal length are compared in constant
 * time, which leaks neither length nor prefix; and the token is kept only here and in the configuration. The authorization
 * middleware counts; route handlers check again without counting, so none depends on the middleware alone.
 */

/** True without a token: then administration is open, on loopback only. */
export function isAdminToken(given: string | null | undefined, token: string | null): boolean {
  if (token === null) return true;
  if (given === null || given === undefined) return false;
  return timingSafeEqual(digest(given), digest(token));
}

export function refuseAdminToken(): Result<never> {
  return refuse('admin_token_invalid', 'invalid admin token');
}

export interface AdminGuard {
  /** Authorizes an administrative request from `address`; a missing token does not count as a guess. */
  check(given: string | undefined, address: string): Result<null>;
}

export function createAdminGuard(token: string | null, monotonicNow?: () => number, countElsewhere?: CountElsewhere): AdminGuard {
  const attempts = createWrongAttempts(LIMITS.adminAttemptsPerMinute, monotonicNow, countElsewhere);
  return {
    check(given, address) {
      if (token === null) return ok(null);
      const seconds = attempts.waitOf(address);
      if (seconds > 0) {
        return refuse('too_many_attempts', `Too many wrong admin tokens from this address. Try again in ${seconds} s.`, {
          retryAfter: seconds,
        });
      }
      if (isAdminToken(given, token)) return ok(null);
      if (given !== undefined) attempts.count(address);
      return refuseAdminToken();
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
