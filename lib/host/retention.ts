import { setTimeout as wait } from 'node:timers/promises';
import type { KeepLimits, Retention } from '#lib/store/store.ts';

/**
 * Removes expired data, one part of each kind in turn: a kind that grows as fast as it is removed does not keep the others
 * waiting. Running calls share the database and the event loop, so a part lasts a few milliseconds and is followed by a pause;
 * after a slow part the next one is smaller. When the database refuses a part, that kind waits for the next interval.
 */
export interface RetentionSweeper {
  /** Removes now. Resolves to the number of rows. A running round begins again with every kind. */
  sweep(): Promise<number>;
  /** Rows removed since the start, by kind. */
  removed(): Readonly<Record<Kind, number>>;
  /** Starts no further round, and ends the current one after the current part. */
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
  /** False: another server on this database removes expired data. */
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
  const piece: Record<Kind, number> = { calls: PIECE, snapshots: PIECE, revisions: PIECE, failures: PIECE, messages: PIECE };
  /** Kinds that may have expired data. */
  const due = new Set<Kind>();
  let isClosed = false;
  let sweeping: Promise<number> | null = null;

  /** One part of a kind. @returns whether more may be left */
  async function removePart(kind: Kind): Promise<boolean> {
    const { newest, days } = kept[kind];
    const before = days === 0 ? 0 : now() - days * DAY_MS;
    const most = piece[kind];
    const { count, tookMs } = await retention[kind]({ keepNewest: newest, before, most });
    removed[kind] += count;
    piece[kind] = count === 0 ? PIECE : nextPartSize(most, tookMs);
    return count > 0;
  }

  async function round(): Promise<number> {
    const before = total(removed);
    while (due.size > 0 && !isClosed && isOwner()) {
      for (const kind of due) {
        if (isClosed) break;
        const isLeft = await removePart(kind).catch((error: unknown) => {
          options.onError(kind, error);
          return false;
        });
        if (isLeft) await wait(pauseMs, undefined, { ref: false });
        else due.delete(kind);
      }
    }
    due.clear();
    return total(removed) - before;
  }

  function sweep(): Promise<number> {
    for (const kind of kinds) due.add(kind);
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

function total(counts: Readonly<Record<Kind, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The next size, changed by a factor of two at most. */
function nextPartSize(most: number, tookMs: number): number {
  const fitting = Math.round(most * Math.min(2, Math.max(0.5, PIECE_MS / Math.max(tookMs, 0.1))));
  return Math.min(PIECE_MOST, Math.max(PIECE_LEAST, fitting));
}
