import type { CallStats, CallStatsQuery } from '#lib/contract/call.ts';

/**
 * Statistics of a long history cost seconds of reading, and every open page asks for them again whenever something is called.
 * So one question is answered once for all who ask it meanwhile, and the answer holds ten times as long as it took.
 */
export interface StatsCache {
  of(query: CallStatsQuery): Promise<CallStats>;
}

interface Answer {
  readonly stats: Promise<CallStats>;
  /** Infinite until it is known how long it took. */
  holdsUntil: number;
}

const KEPT = 20;
const HOLDS_TIMES = 10;

export function createStatsCache(
  count: (query: CallStatsQuery) => Promise<CallStats>,
  now: () => number = () => performance.now(),
): StatsCache {
  const answers = new Map<string, Answer>();

  function ask(key: string, query: CallStatsQuery): Promise<CallStats> {
    const began = now();
    const answer: Answer = { stats: count(query), holdsUntil: Number.POSITIVE_INFINITY };
    answers.set(key, answer);
    const [oldest] = answers.keys();
    if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
    answer.stats.then(
      () => {
        const ended = now();
        answer.holdsUntil = ended + (ended - began) * HOLDS_TIMES;
      },
      () => {
        if (answers.get(key) === answer) answers.delete(key);
      },
    );
    return answer.stats;
  }

  return {
    of(query) {
      const key = JSON.stringify(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      const known = answers.get(key);
      if (known !== undefined && now() < known.holdsUntil) return known.stats;
      answers.delete(key);
      return ask(key, query);
    },
  };
}
