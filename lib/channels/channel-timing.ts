import { LIMITS } from '#lib/contract/limits.ts';

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

const SPREAD = 0.1;

/**
 * Delay after consecutive failures in milliseconds: 1 s, doubling up to 60 s, plus up to a tenth as jitter, so that channels
 * that failed together do not reconnect together.
 */
export function backoffMs(failures: number, random: () => number): number {
  const doubled = LIMITS.channelBackoffMs * 2 ** Math.min(failures - 1, 10);
  return Math.round(Math.min(doubled * (1 + SPREAD * random()), LIMITS.channelBackoffMostMs));
}

const RETRY_MS = 500;

/** Storage errors are identified by code, never by instanceof. */
function isStorageRefusal(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return code === 'storage_unavailable' || code === 'storage_full';
}

/** Another server owns what this one wrote to. */
export function isLeaseLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'lease_lost';
}

/** Retries a write while storage is locked or full; gives up when `signal` aborts. Other errors are thrown immediately. */
export async function writeWithRetries<Value>(write: () => Promise<Value>, clock: ChannelClock, signal: AbortSignal): Promise<Value> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageRefusal(error) || signal.aborted) throw error;
      await clock.wait(RETRY_MS, signal);
    }
  }
}
