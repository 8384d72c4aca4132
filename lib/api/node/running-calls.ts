/** Counts running requests, so that background work can wait for them. */
export function createRunningCalls() {
  let underWay = 0;
  const waiting = new Set<() => void>();

  function changed(): void {
    for (const look of waiting) look();
  }

  return {
    /** Counted until the promise settles. */
    async count<Value>(work: Promise<Value>): Promise<Value> {
      underWay += 1;
      changed();
      try {
        return await work;
      } finally {
        underWay -= 1;
        changed();
      }
    },
    /** Resolves when none has run for `pauseMs`, and at the latest after `mostMs`. */
    quiet: (pauseMs: number, mostMs: number): Promise<void> =>
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
