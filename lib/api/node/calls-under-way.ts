/** Counts running requests, so that background work can wait for them. */
export interface CallsUnderWay {
  /** Counted until the promise settles. */
  count<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when none has run for `pauseMs`, and at the latest after `mostMs`. */
  quiet(pauseMs: number, mostMs: number): Promise<void>;
}

export function createCallsUnderWay(): CallsUnderWay {
  let underWay = 0;
  const waiting = new Set<() => void>();

  function changed(): void {
    for (const look of waiting) look();
  }

  return {
    async count(work) {
      underWay += 1;
      changed();
      try {
        return await work;
      } finally {
        underWay -= 1;
        changed();
      }
    },
    quiet: (pauseMs, mostMs) =>
      new Promise((resolve) => {
        let pause: NodeJS.Timeout | undefined;
        const end = (): void => {
          waiting.delete(look);
          clearTimeout(pause);
          clearTimeout(limit);
          resolve();
        };
        const look = (): void => {
          clearTimeout(pause);
          if (underWay === 0) pause = setTimeout(end, pauseMs).unref();
        };
        const limit = setTimeout(end, mostMs).unref();
        waiting.add(look);
        look();
      }),
  };
}
