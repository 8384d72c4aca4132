import type { ChannelClock } from './channel-clock.ts';

const RETRY_MS = 500;

/** Storage errors are told apart by code, never by instanceof. */
export function isStorageRefusal(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return code === 'storage_unavailable' || code === 'storage_full';
}

/** Writes again and again while storage is locked or full; gives up when `signal` says that the host stops. Any other fault is thrown at once. */
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
