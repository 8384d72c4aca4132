/** Counts requests that are being answered, so that what can wait lets them go first. */
export interface CallsUnderWay {
  /** Counted until what it waits for has ended, however it ends. */
  count<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when none has been under way for `pauseMs`, and at the latest after `mostMs`. */
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
