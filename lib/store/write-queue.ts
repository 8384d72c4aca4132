import { performance } from 'node:perf_hooks';
import type { FreeSpace } from './free-space.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError, storeClosed } from './storage-error.ts';
import type { StorageError } from './store.ts';

/**
 * Group commit: writes that arrive in one turn of the event loop share one transaction, and each is answered after the commit that
 * holds it. What can go wrong:
 * - one write of a group fails: the group is rolled back and each write is run in a transaction of its own, so that only
 *   the faulty one is refused (a statement may end SQLite's whole transaction, which savepoints would not survive);
 * - another process holds the lock: SQLite would wait inside the call and stall every request, so it never waits here;
 *   the group goes back to the front and is tried again by timer until the limit of each write is over;
 * - the disk is full: refused at once, the callers may try again; a probe notices when there is room again;
 * - the disk is nearly full: nothing new is taken, so that there is room for the end of what is under way;
 * - a long lock piles up thousands of writes: they are worked off in bounded groups, the event loop turning in between.
 */

const GROUP_MOST = 256;
const RETRY_FIRST_MS = 4;
const RETRY_MOST_MS = 64;
const PROBE_MS = 500;

export interface WriteQueue {
  /** `work` may run more than once, and only its last run counts: it must change nothing but the database. */
  run<Value>(work: () => Value, options?: WriteOptions): Promise<Value>;
  /** In a transaction of its own, at once; throws a StorageError when the database does not take it. */
  now<Value>(work: () => Value): Value;
  health(): { readonly ok: boolean; readonly reason: string | null };
  /** Takes no more, waits for what is waiting. */
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Called once it is committed, before its caller goes on. */
  onCommitted?(): void;
  /** The beginning of something that will need more room to end: refused at once while there is hardly any. */
  readonly needsRoom?: boolean;
}

export interface WriteQueueOptions {
  readonly connection: Connection;
  readonly space: FreeSpace;
  /** What is said of a disk without room. */
  full(): StorageError;
  /** How long a write waits for a lock before it is refused. */
  readonly lockedMs: number;
  /** A small write that tells whether writing works again. */
  probe(): void;
}

interface Entry {
  readonly since: number;
  /** Does the work; what it returns is for after the commit. */
  attempt(): () => void;
  refuse(error: unknown): void;
}

export function createWriteQueue({ connection, space, full, lockedMs, probe }: WriteQueueOptions): WriteQueue {
  let waiting: Entry[] = [];
  let isScheduled = false;
  let retryMs = RETRY_FIRST_MS;
  let failure: StorageError | null = null;
  let probeTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let onDrained: (() => void) | null = null;

  function schedule(afterMs: number | null): void {
    if (isScheduled) return;
    isScheduled = true;
    if (afterMs === null) setImmediate(flush);
    else setTimeout(flush, afterMs);
  }

  function flush(): void {
    isScheduled = false;
    const group = waiting.slice(0, GROUP_MOST);
    waiting = waiting.slice(GROUP_MOST);
    const postponed = commitGroup(group);
    if (postponed.length > 0) {
      waiting = [...postponed, ...waiting];
      schedule(retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
    } else {
      retryMs = RETRY_FIRST_MS;
      if (waiting.length > 0) schedule(null);
    }
    if (waiting.length === 0) onDrained?.();
  }

  /** Returns the writes that are to be tried again. */
  function commitGroup(group: readonly Entry[]): Entry[] {
    const only = group.length === 1 ? group[0] : undefined;
    let answers: (() => void)[];
    try {
      connection.begin();
    } catch (error) {
      return group.filter((entry) => isToBeTriedAgain(entry, error));
    }
    try {
      answers = group.map((entry) => entry.attempt());
      connection.commit();
    } catch (error) {
      connection.rollback();
      if (only === undefined) return group.flatMap((entry) => commitGroup([entry]));
      return isToBeTriedAgain(only, error) ? [only] : [];
    }
    failure = null;
    for (const answer of answers) answer();
    return [];
  }

  function isToBeTriedAgain(entry: Entry, error: unknown): boolean {
    if (!isStorageError(error)) {
      entry.refuse(error);
      return false;
    }
    if (error.code === 'storage_unavailable' && performance.now() - entry.since < lockedMs) return true;
    failure = error;
    entry.refuse(error);
    watchRecovery();
    return false;
  }

  function watchRecovery(): void {
    if (probeTimer !== undefined || isClosed) return;
    probeTimer = setTimeout(() => {
      probeTimer = undefined;
      try {
        now(probe);
      } catch (error) {
        if (!isStorageError(error)) throw error;
        failure = error;
        watchRecovery();
      }
    }, PROBE_MS).unref();
  }

  function now<Value>(work: () => Value): Value {
    connection.begin();
    let value: Value;
    try {
      value = work();
      connection.commit();
    } catch (error) {
      connection.rollback();
      throw error;
    }
    failure = null;
    return value;
  }

  return {
    run<Value>(work: () => Value, { onCommitted, needsRoom = false }: WriteOptions = {}): Promise<Value> {
      if (isClosed) return Promise.reject(storeClosed());
      if (needsRoom && space.isShort()) return Promise.reject(full());
      return new Promise<Value>((resolve, reject) => {
        waiting.push({
          since: performance.now(),
          attempt() {
            const value = work();
            return () => {
              onCommitted?.();
              resolve(value);
            };
          },
          refuse: reject,
        });
        schedule(null);
      });
    },
    now,
    health() {
      const problem = failure ?? (space.isShort() ? full() : null);
      return { ok: problem === null, reason: problem?.message ?? null };
    },
    async close() {
      isClosed = true;
      if (waiting.length > 0) {
        await new Promise<void>((resolve) => {
          onDrained = resolve;
        });
      }
      clearTimeout(probeTimer);
    },
  };
}
