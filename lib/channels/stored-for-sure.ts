import type { ChannelClock } from './channel-clock.ts';

const RETRY_MS = 500;

/** Storage errors are identified by code, never by instanceof. */
export function isStorageRefusal(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return code === 'storage_unavailable' || code === 'storage_full';
}

/** Another server owns what this one wrote to. */
export function isLeaseLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'lease_lost';
}

/** Retries a write while storage is locked or full; gives up when `signal` aborts. Other errors are thrown immediately. */
export async function storedForSure<Value>(write: () => Promise<Value>, clock: ChannelClock, signal: AbortSignal): Promise<Value> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageRefusal(error) || signal.aborted) throw error;
      await clock.wait(RETRY_MS, signal);
    }
  }
}
