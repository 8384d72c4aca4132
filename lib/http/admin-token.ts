import { createHash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

/**
 * The admin token. Guessing is made slow by counting wrong tokens per address, comparing leaks neither length nor prefix
 * (hashes of equal length are compared in constant time), and the token itself is kept nowhere but here and in the
 * configuration. The gate counts; route handlers check again without counting, so no handler depends on the gate alone.
 */

const MINUTE_MS = 60_000;
/** A flood from many addresses must not fill the memory. */
const MOST_ADDRESSES = 10_000;

/** True when no token is set: then administration is open, on loopback only. */
export function isAdminToken(given: string | null | undefined, token: string | null): boolean {
  if (token === null) return true;
  if (given === null || given === undefined) return false;
  return timingSafeEqual(digest(given), digest(token));
}

export function refuseAdminToken(): Result<never> {
  return refuse('admin_token_invalid', 'invalid admin token');
}

export interface AdminGuard {
  /** Authorises one administrative request from `address`; a missing token is not counted as a guess. */
  check(given: string | undefined, address: string): Result<null>;
}

interface Attempts {
  wrong: number;
  /** Monotonic milliseconds; the minute begins with the first wrong token. */
  since: number;
}

export function createAdminGuard(token: string | null, monotonicNow: () => number = () => performance.now()): AdminGuard {
  const attempts = new Map<string, Attempts>();

  const attemptsOf = (address: string, now: number): Attempts => {
    const known = attempts.get(address);
    if (known !== undefined && now - known.since < MINUTE_MS) return known;
    attempts.delete(address);
    const fresh = { wrong: 0, since: now };
    attempts.set(address, fresh);
    if (attempts.size > MOST_ADDRESSES) {
      const oldest = attempts.keys().next().value;
      if (oldest !== undefined) attempts.delete(oldest);
    }
    return fresh;
  };

  return {
    check(given, address) {
      if (token === null) return ok(null);
      const now = monotonicNow();
      const known = attempts.get(address);
      if (known !== undefined && known.wrong >= LIMITS.adminAttemptsPerMinute && now - known.since < MINUTE_MS) {
        const seconds = Math.ceil((known.since + MINUTE_MS - now) / 1_000);
        return refuse('too_many_attempts', `Too many wrong admin tokens from this address. Try again in ${seconds} s.`, {
          retryAfter: seconds,
        });
      }
      if (isAdminToken(given, token)) return ok(null);
      if (given !== undefined) attemptsOf(address, now).wrong += 1;
      return refuseAdminToken();
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
