import { setTimeout as wait } from 'node:timers/promises';
import type { KeepLimits, Retention } from '#lib/store/store.ts';

/**
 * Removes expired data, one kind after the other. Running calls share the database and the event loop, so it works in
 * parts of a few milliseconds, each followed by a pause; after a slow part the next one is smaller. When the database
 * refuses a part, that kind waits for the next round.
 */
export interface RetentionSweeper {
  /** Removes now. Resolves to the number of rows. Joins a running round. */
  sweep(): Promise<number>;
  /** Rows removed since the start, by kind. */
  removed(): Readonly<Record<Kind, number>>;
  /** Starts no further round, and ends the current one after its part. */
  close(): void;
}

export type Kind = keyof Retention;

/** Limits of one kind: the newest so many, and none older than so many days (0: any age). */
export interface Kept {
  readonly newest: number;
  readonly days: number;
}

export interface RetentionOptions {
  readonly retention: Readonly<Record<Kind, (limits: KeepLimits) => Promise<{ readonly count: number; readonly tookMs: number }>>>;
  readonly kept: Readonly<Record<Kind, Kept>>;
  /** False: another server on this database does it. */
  isOwner?(): boolean;
  onError(kind: Kind, error: unknown): void;
  /** Interval between rounds. */
  readonly everyMs?: number;
  readonly now?: () => number;
  /** Pause after each part. */
  readonly pauseMs?: number;
}

/** Rows of the first part, and of the smallest and largest. */
const PIECE = 64;
const PIECE_LEAST = 8;
const PIECE_MOST = 2_000;
/** Target duration of a part. */
const PIECE_MS = 4;
const PAUSE_MS = 4;
const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;

export function createRetentionSweeper(options: RetentionOptions): RetentionSweeper {
  const { retention, kept, isOwner = () => true, now = Date.now, pauseMs = PAUSE_MS } = options;
  const removed: Record<Kind, number> = { calls: 0, snapshots: 0, revisions: 0, failures: 0, messages: 0 };
  const kinds: readonly Kind[] = ['calls', 'snapshots', 'revisions', 'failures', 'messages'];
  let isClosed = false;
  let sweeping: Promise<number> | null = null;

  async function removeOld(kind: Kind): Promise<number> {
    const { newest, days } = kept[kind];
    const before = days === 0 ? 0 : now() - days * DAY_MS;
    let sum = 0;
    for (let most = PIECE; !isClosed && isOwner();) {
      const { count, tookMs } = await retention[kind]({ keepNewest: newest, before, most });
      sum += count;
      removed[kind] += count;
      if (count === 0) break;
      most = nextPiece(most, tookMs);
      await wait(pauseMs, undefined, { ref: false });
    }
    return sum;
  }

  async function round(): Promise<number> {
    let sum = 0;
    for (const kind of kinds) {
      try {
        if (!isClosed) sum += await removeOld(kind);
      } catch (error) {
        options.onError(kind, error);
      }
    }
    return sum;
  }

  function sweep(): Promise<number> {
    sweeping ??= round().finally(() => {
      sweeping = null;
    });
    return sweeping;
  }

  const timer = setInterval(() => void sweep(), options.everyMs ?? EVERY_MS).unref();

  return {
    sweep,
    removed: () => removed,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Changes by a factor of two at most. */
function nextPiece(most: number, tookMs: number): number {
  const fitting = Math.round(most * Math.min(2, Math.max(0.5, PIECE_MS / Math.max(tookMs, 0.1))));
  return Math.min(PIECE_MOST, Math.max(PIECE_LEAST, fitting));
}
