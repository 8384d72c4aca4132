import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { refuse, type Result } from '#lib/contract/result.ts';

/** Storage errors are identified by code, never by instanceof. */
function storageCode(error: unknown): 'storage_unavailable' | 'storage_full' | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return error.code === 'storage_unavailable' || error.code === 'storage_full' ? error.code : null;
}

export function refuseByStorage(error: unknown): Result<never> {
  switch (storageCode(error)) {
    case 'storage_full':
      return refuse('storage_full', 'The disk with the history is full, so the call was not run. Free some space and call again.');
    case 'storage_unavailable':
      return refuseUnavailable();
    case null:
      throw error;
  }
}

export function refuseUnavailable(): Result<never> {
  return refuse(
    'storage_unavailable',
    'The database is not available, so the call was not run. Try again in a few seconds; /readyz says what is wrong.',
    { retryAfter: 5 },
  );
}

const RETRY_MS = 1_000;
const CLOSING_MOST_MS = 3_000;

/**
 * The call has run: its end must not be lost while storage is locked or full; during a stop it is retried only briefly.
 *
 * @param onRefused notified of the first error: the caller waits until it is stored
 */
export async function retryStorage(
  write: () => Promise<void>,
  isClosing: () => boolean,
  onRefused: (error: unknown) => void = () => undefined,
): Promise<void> {
  let closingSince: number | null = null;
  let isTold = false;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (storageCode(error) === null) throw error;
      if (!isTold) onRefused(error);
      isTold = true;
      if (isClosing()) closingSince ??= performance.now();
      if (closingSince !== null && performance.now() - closingSince >= CLOSING_MOST_MS) throw error;
      await wait(RETRY_MS);
    }
  }
}
