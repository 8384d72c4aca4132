/** Clock of the channel loops, replaceable in tests. */
export interface ChannelClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  elapsed(): number;
  /** Resolves after `ms`, or when `signal` aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createChannelClock(): ChannelClock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end, { once: true });
      }),
  };
}
