import { setImmediate } from 'node:timers/promises';

/**
 * Groups loads that began together into one commit: a change of one helper is one snapshot version, and name ownership
 * does not depend on which process was faster. A slow load must not delay the others forever: when no load has
 * finished for `graceMs`, the finished loads are committed and the rest follows.
 */
export async function commitInGroups<Item>(
  loads: readonly Promise<Item>[],
  graceMs: number,
  commit: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  let finished: Item[] = [];
  let left = loads.length;
  const commits: Promise<void>[] = [];
  await new Promise<void>((resolve, reject) => {
    let timer: NodeJS.Timeout | null = null;
    const flush = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (finished.length > 0) {
        const items = finished;
        finished = [];
        commits.push(commit(items));
      }
      if (left === 0) resolve();
    };
    for (const load of loads) {
      load.then(
        (item) => {
          finished.push(item);
          left -= 1;
          if (left === 0) return flush();
          if (timer !== null) clearTimeout(timer);
          timer = setTimeout(flush, graceMs);
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      );
    }
    if (left === 0) resolve();
  });
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
