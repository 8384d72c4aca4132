/**
 * Statistics of a long history cost seconds of reading, and every open page asks for them again whenever something is called.
 * So one question is answered once for all who ask it meanwhile, and the answer holds ten times as long as it took.
 */
export interface StatsCache<Query extends object, Stats> {
  of(query: Query): Promise<Stats>;
}

interface Answer<Stats> {
  readonly stats: Promise<Stats>;
  /** Infinite until it is known how long it took. */
  holdsUntil: number;
}

const KEPT = 20;
const HOLDS_TIMES = 10;

export function createStatsCache<Query extends object, Stats>(
  count: (query: Query) => Promise<Stats>,
  now: () => number = () => performance.now(),
): StatsCache<Query, Stats> {
  const answers = new Map<string, Answer<Stats>>();

  function ask(key: string, query: Query): Promise<Stats> {
    const began = now();
    const answer: Answer<Stats> = { stats: count(query), holdsUntil: Number.POSITIVE_INFINITY };
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
