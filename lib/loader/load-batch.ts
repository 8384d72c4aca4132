import { setImmediate } from 'node:timers/promises';

export interface GroupTimes {
  /** When no load has finished for so long, the finished ones are committed: a slow load must not delay the others forever. */
  readonly graceMs: number;
  /**
   * How often those that finished are committed while others still load, each only after all loads before it in the list;
   * null: never.
   */
  readonly everyMs: number | null;
}

/**
 * Groups loads that began together into one commit: a change of one helper is one snapshot version, and name ownership
 * does not depend on which process was faster. One group is committed at a time; its items are in the order of the list.
 */
export async function commitInGroups<Item>(
  loads: readonly Promise<Item>[],
  { graceMs, everyMs }: GroupTimes,
  commit: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  /** By position in the list; committed ones are removed. */
  const finished = new Map<number, Item>();
  const unfinished = new Set(loads.keys());
  const commits: Promise<void>[] = [];
  const oneByOne = createSerial();
  let running = 0;
  const flush = (before: number): void => {
    const group = [...finished].filter(([at]) => at < before).sort(([one], [other]) => one - other);
    if (group.length === 0) return;
    for (const [at] of group) finished.delete(at);
    running += 1;
    const items = group.map(([, item]) => item);
    commits.push(oneByOne(() => commit(items)).finally(() => (running -= 1)));
  };
  let grace: NodeJS.Timeout | undefined;
  const turns = everyMs === null ? undefined : setInterval(() => running === 0 && flush(Math.min(...unfinished)), everyMs);
  await new Promise<void>((resolve, reject) => {
    for (const [at, load] of loads.entries()) {
      load.then(
        (item) => {
          finished.set(at, item);
          unfinished.delete(at);
          clearTimeout(grace);
          if (unfinished.size > 0) {
            grace = setTimeout(flush, graceMs, loads.length);
            return;
          }
          flush(loads.length);
          resolve();
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    }
    if (loads.length === 0) resolve();
  }).finally(() => clearInterval(turns));
  await Promise.all(commits);
}

const TURN_MS = 8;

/** Called between the parts of long work: yields to the event loop when the work has blocked it for some milliseconds. */
export function createTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

export type Limiter = <Value>(work: () => Promise<Value>, signal?: AbortSignal) => Promise<Value>;

/** At most `most` tasks run at a time, in order of arrival. A queued task whose signal aborts starts immediately, and should end soon. */
export function createLimiter(most: number): Limiter {
  let running = 0;
  const waiting: (() => void)[] = [];
  const admitted = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', leave);
        running += 1;
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(admit), 1);
        admit();
      };
      waiting.push(admit);
      signal?.addEventListener('abort', leave);
    });
  return async (work, signal) => {
    if (running < most || signal?.aborted === true) running += 1;
    else await admitted(signal);
    try {
      return await work();
    } finally {
      running -= 1;
      if (running < most) waiting.shift()?.();
    }
  };
}

/** Runs tasks one at a time, in order of arrival; a failed task does not stop the next. */
export function createSerial(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = tail.then(work, work);
    tail = result.catch(() => undefined);
    return result;
  };
}
