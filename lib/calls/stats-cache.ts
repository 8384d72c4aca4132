/**
 * Statistics of a long history cost seconds of reading, and every open page asks for them again whenever something is called.
 * So a question is counted once at a time, and an answer that took long holds ten times as long as it took, for all who asked it
 * meanwhile too. One that took little is counted anew for whoever asked after it began: who just called a tool sees that call in it.
 */
export interface StatsCache<Query extends object, Stats> {
  of(query: Query): Promise<Stats>;
}

interface Answer<Stats> {
  readonly stats: Promise<Stats>;
  /** Null until it is known how long it took. */
  holdsUntil: number | null;
  /** What those get who asked while it was counted. */
  next: Promise<Stats> | null;
}

const KEPT = 20;
const HOLDS_TIMES = 10;
/** Milliseconds; also what a short count takes on a machine that is busy with something else. */
const TOOK_LITTLE = 100;

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
        answer.holdsUntil = took <= TOOK_LITTLE ? ended : ended + took * HOLDS_TIMES;
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
