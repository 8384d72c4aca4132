import type { AttemptRepository } from '#lib/store/instance-store.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';

/**
 * Rate limit for sign-ins: attempts in ten seconds per account and per address, also for unknown accounts and correct
 * passwords. What can go wrong: many different accounts or addresses could fill the memory, so only the latest are stored.
 */
export interface SignInLimits {
  /** Counts an attempt; rejected ones are not counted. @param network an address; for IPv6 its /64 */
  take(account: string, network: string): Promise<Result<null>>;
}

export interface SignInLimitsOptions {
  readonly monotonicNow?: () => number;
  /** Attempts on all servers; null: there is one. */
  readonly attempts?: Pick<AttemptRepository, 'count'> | null;
}

const WINDOW_MS = 10_000;
const MOST_CACHED = 10_000;

export function createSignInLimits({ monotonicNow = () => performance.now(), attempts = null }: SignInLimitsOptions = {}): SignInLimits {
  const tries = new Map<string, number[]>();

  /** Milliseconds to wait; 0 if allowed. */
  const waitFor = (key: string, now: number): number => {
    const recent = (tries.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length === 0) tries.delete(key);
    else tries.set(key, recent);
    const oldest = recent.at(-LIMITS.signInsPerTenSeconds);
    return oldest === undefined ? 0 : oldest + WINDOW_MS - now;
  };

  const count = (key: string, now: number): void => {
    const recent = tries.get(key) ?? [];
    tries.delete(key);
    tries.set(key, [...recent, now]);
    if (tries.size <= MOST_CACHED) return;
    const first = tries.keys().next();
    if (!first.done) tries.delete(first.value);
  };

  return {
    async take(account, network) {
      const now = monotonicNow();
      const keys = [`account ${account}`, `address ${network}`];
      const wait = Math.max(...keys.map((key) => waitFor(key, now)));
      if (wait > 0) return refuseFor(wait);
      for (const key of keys) count(key, now);
      if (attempts === null) return ok(null);
      const counted = await Promise.all(keys.map((key) => attempts.count(`sign-in ${key}`, WINDOW_MS)));
      const waits = counted.map(({ count: tried, ageMs }) => (tried > LIMITS.signInsPerTenSeconds ? WINDOW_MS - ageMs : 0));
      const most = Math.max(...waits);
      return most > 0 ? refuseFor(most) : ok(null);
    },
  };
}

function refuseFor(waitMs: number): Result<never> {
  const seconds = Math.ceil(waitMs / 1_000);
  return refuse('too_many_attempts', `Too many sign-in attempts. Try again in ${seconds} s.`, { retryAfter: seconds });
}
