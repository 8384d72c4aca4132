import type { StartProgress } from '#lib/contract/extension.ts';

/**
 * Counts the loads of the first start, which takes a while with many extensions: pages fetch the count once a second, and the
 * log gets a line every few seconds. A start that ends earlier has neither.
 */
export interface StartProgressCounter {
  /** Null before and after. The same object while nothing changes. */
  current(): StartProgress | null;
  follow(loads: readonly Promise<unknown>[]): void;
  close(): void;
}

const NOTIFY_MS = 1_000;
/** Notifications per log line. */
const LOGGED_OF = 4;

export function createStartProgress(notify: () => void, log: (text: string, progress: StartProgress) => void): StartProgressCounter {
  let progress: StartProgress | null = null;
  let timer: NodeJS.Timeout | null = null;

  const end = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    progress = null;
  };

  return {
    current: () => progress,
    follow(loads) {
      const total = loads.length;
      if (total === 0) return;
      let turn = 0;
      let shown: StartProgress | null = null;
      progress = { loaded: 0, total };
      for (const load of loads) {
        const count = (): void => {
          if (progress !== null) progress = { loaded: progress.loaded + 1, total };
        };
        load.then(count, count);
      }
      timer = setInterval(() => {
        turn += 1;
        if (progress === null || progress === shown) return;
        shown = progress;
        notify();
        if (turn % LOGGED_OF === 0) log(`loading extensions: ${progress.loaded} of ${total}`, progress);
      }, NOTIFY_MS).unref();
      void Promise.allSettled(loads).then(end);
    },
    close: end,
  };
}
