/**
 * Statistics of a long history take seconds, and every open page requests them after each call. So equal requests share one
 * count, and a slow result is reused for ten times its duration. A fast one is counted again for requests made after it began,
 * so that a caller sees its own call.
 */
export interface StatsCache<Query extends object, Stats> {
  of(query: Query): Promise<Stats>;
}

interface Answer<Stats> {
  readonly stats: Promise<Stats>;
  /** Null until its duration is known. */
  holdsUntil: number | null;
  /** Result for requests made during the count. */
  next: Promise<Stats> | null;
}

const KEPT = 20;
const HOLDS_TIMES = 10;
/** Milliseconds; on a busy machine fast counts take as long. */
const FAST_MS = 100;

export function createStatsCache<Query extends object, Stats>(
  count: (query: Query) => Promise<Stats>,
  now: () => number = () => performance.now(),
): StatsCache<Query, Stats> {
  const answers = new Map<string, Answer<Stats>>();

  function ask(key: string, query: Query): Promise<Stats> {
    const began = now();
    const answer: Answer<Stats> = { stats: count(query), holdsUntil: null, next: null };
    answers.set(key, answer);
    const [oldest] = answers.keys();
    if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
    answer.stats.then(
      () => {
        const ended = now();
        const took = ended - began;
        answer.holdsUntil = took <= FAST_MS ? ended : ended + took * HOLDS_TIMES;
      },
      () => {
        if (answers.get(key) === answer) answers.delete(key);
      },
    );
    return answer.stats;
  }

  function of(key: string, query: Query): Promise<Stats> {
    const known = answers.get(key);
    if (known?.holdsUntil === null) return (known.next ??= known.stats.then(ignore, ignore).then(() => of(key, query)));
    if (known !== undefined && now() < known.holdsUntil) return known.stats;
    answers.delete(key);
    return ask(key, query);
  }

  return { of: (query) => of(JSON.stringify(Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1))), query) };
}

function ignore(): void {
  return undefined;
}
