import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '#lib/store/store.ts';

/**
 * Drops calls that are kept no longer. Calls that run now share the database with this, so it goes in pieces of a few
 * milliseconds with a pause after each, and gives up for this time when the database refuses one.
 */
export interface CallRetention {
  /** Looks now what is to be dropped, and drops it. Resolves to how many. One that is under way already is joined. */
  sweep(): Promise<number>;
  /** Looks no more, and breaks off after the present piece. */
  close(): void;
}

export interface CallRetentionOptions {
  readonly calls: Pick<Store['calls'], 'removeOld'>;
  readonly keepNewest: number;
  /** 0: however old. */
  readonly keepDays: number;
  onError(error: unknown): void;
  /** From one look to the next. */
  readonly everyMs?: number;
  readonly now?: () => number;
  /** Between two pieces. */
  readonly pauseMs?: number;
}

const PIECE = 100;
const PAUSE_MS = 20;
const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

export function createCallRetention(options: CallRetentionOptions): CallRetention {
  const now = options.now ?? Date.now;
  let isClosed = false;
  let sweeping: Promise<number> | null = null;

  async function drop(): Promise<number> {
    let dropped = 0;
    while (!isClosed) {
      const before = options.keepDays === 0 ? 0 : now() - options.keepDays * DAY_MS;
      const count = await options.calls.removeOld({ keepNewest: options.keepNewest, before, most: PIECE });
      dropped += count;
      if (count < PIECE) break;
      await wait(options.pauseMs ?? PAUSE_MS, undefined, { ref: false });
    }
    return dropped;
  }

  function sweep(): Promise<number> {
    sweeping ??= drop().finally(() => {
      sweeping = null;
    });
    return sweeping;
  }

  const timer = setInterval(() => void sweep().catch(options.onError), options.everyMs ?? EVERY_MS).unref();

  return {
    sweep,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}
