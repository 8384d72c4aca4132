/** Time as the loops of channels see it, so that tests can turn it by hand. */
export interface ChannelClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since whenever, for durations: it does not follow a clock that is set. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when `signal` is or becomes aborted; never rejects. */
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
