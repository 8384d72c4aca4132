import { performance } from 'node:perf_hooks';
import type { WriteOptions } from '../database.ts';
import type { FreeSpace } from './free-space.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError, storeClosed } from '../storage-error.ts';
import type { StorageError, StorageHealth } from '../store.ts';

/**
 * Group commit: writes that arrive in one turn of the event loop share one transaction, and each is answered after its
 * commit. What can go wrong:
 * - one write of a group fails: the group is rolled back and each write runs in its own transaction, so that only the
 *   faulty one is refused (a statement may end SQLite's transaction, which savepoints would not survive);
 * - another process holds the lock: SQLite would wait inside the call and block every request, so it never waits here;
 *   the group goes back to the front and is retried by timer until each write's limit is over;
 * - the disk is full: refused immediately, callers may retry; a probe notices when there is space again;
 * - the disk is nearly full: new work is refused, so that there is space to finish running work;
 * - a long lock queues thousands of writes: they are processed in bounded groups, with turns of the event loop between
 *   them.
 */

const GROUP_MOST = 256;
const RETRY_FIRST_MS = 4;
const RETRY_MOST_MS = 64;
const PROBE_MS = 500;

export interface WriteQueue {
  /**
   * `work` may run more than once, and only its last run counts: it must change nothing but the database, and wait for
   * nothing else.
   */
  run<Value>(work: () => Value | Promise<Value>, options?: QueuedWriteOptions): Promise<Value>;
  health(): StorageHealth;
  /** Accepts no more writes, and waits for the queued ones. */
  close(): Promise<void>;
}

export interface QueuedWriteOptions extends WriteOptions {
  /** Waits no longer for a lock, and a refusal for it is no failure of the storage: the write is repeated later. */
  readonly lockedMs?: number;
}

export interface WriteQueueOptions {
  readonly connection: Connection;
  readonly space: FreeSpace;
  /** The message for a full disk. */
  full(): StorageError;
  /** How long a write waits for a lock before it is refused. */
  readonly lockedMs: number;
  /** A small write that tests whether writing works again. */
  probe(): void;
}

interface Entry {
  readonly since: number;
  /** Null: as long as other writes, and a refusal is a failure of the storage. */
  readonly lockedMs: number | null;
  /** Does the work; returns what to call after the commit. */
  attempt(): (() => void) | Promise<() => void>;
  refuse(error: unknown): void;
}

export function createWriteQueue({ connection, space, full, lockedMs, probe }: WriteQueueOptions): WriteQueue {
  let waiting: Entry[] = [];
  let isScheduled = false;
  let isCommitting = false;
  let retryMs = RETRY_FIRST_MS;
  let failure: StorageError | null = null;
  let probeTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let onDrained: (() => void) | null = null;

  function schedule(afterMs: number | null): void {
    if (isScheduled || isCommitting) return;
    isScheduled = true;
    if (afterMs === null) setImmediate(() => void flush());
    else setTimeout(() => void flush(), afterMs);
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    isCommitting = true;
    const group = waiting.slice(0, GROUP_MOST);
    waiting = waiting.slice(GROUP_MOST);
    const postponed = await commitGroup(group);
    isCommitting = false;
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

  /** Returns the writes to retry. */
  async function commitGroup(group: readonly Entry[]): Promise<Entry[]> {
    const only = group.length === 1 ? group[0] : undefined;
    const answers: (() => void)[] = [];
    try {
      connection.begin();
    } catch (error) {
      return group.filter((entry) => isRetryable(entry, error));
    }
    try {
      for (const entry of group) {
        const attempted = entry.attempt();
        answers.push(attempted instanceof Promise ? await attempted : attempted);
      }
      connection.commit();
    } catch (error) {
      connection.rollback();
      if (only === undefined) {
        const postponed: Entry[] = [];
        for (const entry of group) postponed.push(...(await commitGroup([entry])));
        return postponed;
      }
      return isRetryable(only, error) ? [only] : [];
    }
    failure = null;
    for (const answer of answers) answer();
    return [];
  }

  function isRetryable(entry: Entry, error: unknown): boolean {
    if (!isStorageError(error)) {
      entry.refuse(error);
      return false;
    }
    if (error.code === 'storage_unavailable' && performance.now() - entry.since < (entry.lockedMs ?? lockedMs)) return true;
    entry.refuse(error);
    if (entry.lockedMs !== null && error.code === 'storage_unavailable') return false;
    failure = error;
    watchRecovery();
    return false;
  }

  function watchRecovery(): void {
    if (probeTimer !== undefined || isClosed) return;
    probeTimer = setTimeout(() => {
      probeTimer = undefined;
      add(
        probe,
        () => undefined,
        () => undefined,
      );
    }, PROBE_MS).unref();
  }

  function add<Value>(
    work: () => Value | Promise<Value>,
    answer: (value: Value) => void,
    refuse: (error: unknown) => void,
    mostLockedMs: number | null = null,
  ): void {
    const attempt = (): (() => void) | Promise<() => void> => {
      const value = work();
      return value instanceof Promise ? value.then((made) => () => answer(made)) : () => answer(value);
    };
    waiting.push({ since: performance.now(), lockedMs: mostLockedMs, attempt, refuse });
    schedule(null);
  }

  return {
    run<Value>(
      work: () => Value | Promise<Value>,
      { onCommitted, needsSpace = false, lockedMs: mostLockedMs }: QueuedWriteOptions = {},
    ): Promise<Value> {
      if (isClosed) return Promise.reject(storeClosed());
      if (needsSpace && space.isShort()) return Promise.reject(full());
      return new Promise<Value>((resolve, reject) => {
        const answer = (value: Value): void => {
          onCommitted?.();
          resolve(value);
        };
        add(work, answer, reject, mostLockedMs);
      });
    },
    health() {
      const problem = failure ?? (space.isShort() ? full() : null);
      return { ok: problem === null, reason: problem?.message ?? null };
    },
    async close() {
      isClosed = true;
      if (waiting.length > 0 || isCommitting) {
        await new Promise<void>((resolve) => {
          onDrained = resolve;
        });
      }
      clearTimeout(probeTimer);
    },
  };
}
