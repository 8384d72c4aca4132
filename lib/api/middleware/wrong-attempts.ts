/**
 * Wrong secrets of one kind, counted per address for a minute from the first, to slow guessing. A flood from many addresses
 * must not fill the memory, so only the latest are kept.
 */
export interface WrongAttempts {
  /** Seconds to wait; 0: allowed. */
  waitOf(address: string): number;
  count(address: string): void;
}

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

interface Attempts {
  wrong: number;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Counts a wrong attempt on all servers that share a database; null: there is one. */
export type CountElsewhere = (address: string, windowMs: number) => Promise<{ readonly count: number; readonly ageMs: number }> | null;

export function createWrongAttempts(
  most: number,
  monotonicNow: () => number = () => performance.now(),
  countElsewhere: CountElsewhere = () => null,
): WrongAttempts {
  const attempts = new Map<string, Attempts>();

  /** Each server refuses once it knows of too many: what another one counted, it learns with its own next one. */
  function learn(address: string): void {
    countElsewhere(address, MINUTE_MS)
      ?.then(({ count, ageMs }) => {
        const known = attempts.get(address);
        if (known !== undefined && count > known.wrong) attempts.set(address, { wrong: count, since: monotonicNow() - ageMs });
      })
      .catch(() => undefined);
  }

  return {
    waitOf(address) {
      const known = attempts.get(address);
      if (known === undefined || known.wrong < most) return 0;
      return Math.max(0, Math.ceil((known.since + MINUTE_MS - monotonicNow()) / 1_000));
    },
    count(address) {
      const now = monotonicNow();
      const known = attempts.get(address);
      if (known !== undefined && now - known.since < MINUTE_MS) {
        known.wrong += 1;
        return learn(address);
      }
      attempts.delete(address);
      attempts.set(address, { wrong: 1, since: now });
      learn(address);
      if (attempts.size <= MOST_ADDRESSES) return;
      const oldest = attempts.keys().next().value;
      if (oldest !== undefined) attempts.delete(oldest);
    },
  };
}
