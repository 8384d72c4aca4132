import type { Checkpoints } from './checkpoints.ts';
import type { DiskSync } from './disk-sync.ts';
import type { FreeSpace } from './free-space.ts';
import type { LogRoom } from './log-room.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError, storeClosed } from './storage-error.ts';
import type { StorageError } from './store.ts';

/**
 * Group commit. Writes that arrive in one turn of the event loop share one transaction; each is answered after the commit that
 * holds it and, where it asks for that, after the sync of the disk that follows (lib/store/disk-sync.ts). What can go wrong:
 * - one write of a group fails: the group is rolled back and each write is run in a transaction of its own, so that only
 *   the faulty one is refused (a statement may end SQLite's whole transaction, which savepoints would not survive);
 * - another process holds the lock: SQLite would wait inside the call and stall every request, so it never waits here;
 *   the group goes back to the front and is tried again by timer until the limit of each write is over;
 * - the disk is full: refused at once, the callers may try again; a probe notices when there is room again;
 * - the disk is nearly full: nothing new is taken, so that there is room for the end of what is under way;
 * - the disk refuses the sync: those that wait for it are refused, though their rows stand in the database;
 * - the log is copied into the database (lib/store/checkpoints.ts): for the last few pages of that, writes wait;
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
  now<Value>(work: () => Value, options?: { readonly isKeptElsewhere?: boolean }): Value;
  /** Before the beginning of something that will be filed later. Null: the database takes writes. Otherwise settles when it has taken an empty one, refused as `run` is. */
  whenTaken(): Promise<void> | null;
  /** Settles when what was committed is on the disk; null where it is, but for what is kept elsewhere. */
  whenOnDisk(): Promise<void> | null;
  health(): { readonly ok: boolean; readonly reason: string | null };
  /** Takes no more, waits for what is waiting. */
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Called once it is committed, before its caller goes on. */
  onCommitted?(): void;
  /** Answer when it is on the disk, not when it is committed: it must outlive a loss of power. */
  readonly waitsForDisk?: boolean;
  /** Commit in this turn of the event loop where nothing waits before it: somebody waits for a chain of writes. */
  readonly isHurried?: boolean;
  /** Have the disk begin with it at once, though nobody waits: the next one that does has less to wait for. */
  readonly goesToDiskSoon?: boolean;
  /** The beginning of something that will need more room to end: refused at once while there is hardly any. */
  readonly needsRoom?: boolean;
}

export interface WriteQueueOptions {
  readonly connection: Connection;
  readonly disk: DiskSync;
  readonly room: LogRoom;
  readonly checkpoints: Checkpoints;
  readonly space: FreeSpace;
  /** What is said of a disk without room. */
  full(): StorageError;
  /** What a refusal of the disk means to a caller. */
  explain(error: unknown): unknown;
  /** How long a write waits for a lock before it is refused. */
  readonly lockedMs: number;
  /** For how long a commit shows that the database takes writes. */
  readonly provenMs: number;
  /** A small write that tells whether writing works again. */
  probe(): void;
}

interface Entry {
  readonly since: number;
  readonly waitsForDisk: boolean;
  readonly goesToDiskSoon: boolean;
  readonly changesNothing: boolean;
  /** Does the work; what it returns is for after the commit. */
  attempt(): Attempted;
  refuse(error: unknown): void;
}

interface Attempted {
  committed(): void;
  answer(): void;
}

export function createWriteQueue(options: WriteQueueOptions): WriteQueue {
  const { connection, disk, room, checkpoints, space, explain, lockedMs, provenMs, probe } = options;
  let waiting: Entry[] = [];
  let scheduled = false;
  let retryMs = RETRY_FIRST_MS;
  let failure: StorageError | null = null;
  let probeTimer: NodeJS.Timeout | null = null;
  let closed = false;
  let drained: (() => void) | null = null;
  /** Commits so far, that of the start among them, and up to which of them the disk has all. */
  let commits = 1;
  let onDisk = 0;
  /** When the database took a write last. */
  let provenAt = -Infinity;

  function schedule(afterMs: number | null): void {
    if (scheduled) return;
    scheduled = true;
    if (afterMs === null) setImmediate(flush);
    else setTimeout(flush, afterMs);
  }

  function flush(): void {
    const pause = checkpoints.pause();
    if (pause !== null) {
      void pause.then(flush, flush);
      return;
    }
    scheduled = false;
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
    if (waiting.length === 0) drained?.();
  }

  /** Returns the writes that are to be tried again. */
  function commitGroup(group: readonly Entry[]): Entry[] {
    const only = group.length === 1 ? group[0] : undefined;
    const attempted: Attempted[] = [];
    try {
      connection.begin();
    } catch (error) {
      return group.filter((entry) => isToBeTriedAgain(entry, error));
    }
    try {
      if (group.some(({ waitsForDisk }) => waitsForDisk)) room.keep();
      for (const entry of group) attempted.push(entry.attempt());
      connection.commit();
    } catch (error) {
      connection.rollback();
      if (only === undefined) return commitOneByOne(group);
      return isToBeTriedAgain(only, error) ? [only] : [];
    }
    prove();
    const hasChanged = group.some(({ changesNothing }) => !changesNothing);
    if (hasChanged) commits += 1;
    answerGroup(group, attempted);
    if (hasChanged) checkpoints.onCommitted();
    return [];
  }

  function prove(): void {
    failure = null;
    provenAt = performance.now();
  }

  function isProven(): boolean {
    return waiting.length === 0 && failure === null && performance.now() - provenAt < provenMs;
  }

  function answerGroup(group: readonly Entry[], attempted: readonly Attempted[]): void {
    for (const { committed } of attempted) committed();
    for (const [index, { answer }] of attempted.entries()) if (group[index]?.waitsForDisk !== true) answer();
    if (!group.some(({ waitsForDisk, goesToDiskSoon }) => waitsForDisk || goesToDiskSoon)) return;
    toDisk().then(
      () => {
        for (const [index, { answer }] of attempted.entries()) if (group[index]?.waitsForDisk === true) answer();
      },
      (explained: unknown) => {
        for (const entry of group) if (entry.waitsForDisk) entry.refuse(explained);
      },
    );
  }

  async function toDisk(): Promise<void> {
    const upTo = commits;
    try {
      await disk.settled();
      onDisk = Math.max(onDisk, upTo);
    } catch (error) {
      const explained = explain(error);
      if (isStorageError(explained)) failure = explained;
      watchRecovery();
      throw explained;
    }
  }

  function commitOneByOne(group: readonly Entry[]): Entry[] {
    const postponed: Entry[] = [];
    for (const entry of group) postponed.push(...commitGroup([entry]));
    return postponed;
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
    if (probeTimer !== null || closed) return;
    probeTimer = setTimeout(() => {
      probeTimer = null;
      try {
        now(probe);
      } catch (error) {
        if (!isStorageError(error)) throw error;
        failure = error;
        watchRecovery();
      }
    }, PROBE_MS);
    probeTimer.unref();
  }

  function now<Value>(work: () => Value, { isKeptElsewhere = false } = {}): Value {
    const value = committed(work);
    if (!isKeptElsewhere) commits += 1;
    prove();
    checkpoints.onCommitted();
    return value;
  }

  function committed<Value>(work: () => Value): Value {
    connection.begin();
    try {
      const value = work();
      connection.commit();
      return value;
    } catch (error) {
      connection.rollback();
      throw error;
    }
  }

  function run<Value>(work: () => Value, how: WriteOptions & { readonly changesNothing?: boolean } = {}): Promise<Value> {
    if (closed) return Promise.reject(storeClosed());
    const { onCommitted, waitsForDisk = false, goesToDiskSoon = false, isHurried = false, needsRoom = false, changesNothing = false } = how;
    if (needsRoom && space.isShort()) return Promise.reject(options.full());
    return new Promise<Value>((resolve, reject) => {
      const entry: Entry = {
        since: performance.now(),
        waitsForDisk,
        goesToDiskSoon,
        changesNothing,
        attempt() {
          const value = work();
          return { committed: () => onCommitted?.(), answer: () => resolve(value) };
        },
        refuse: reject,
      };
      if (isHurried && waiting.length === 0 && checkpoints.pause() === null && commitGroup([entry]).length === 0) return;
      waiting.push(entry);
      schedule(null);
    });
  }

  return {
    run,
    whenTaken: () => (!closed && isProven() && !space.isShort() ? null : run(() => undefined, { needsRoom: true, changesNothing: true })),
    now,
    whenOnDisk: () => (onDisk === commits ? null : toDisk()),
    health() {
      const problem = failure ?? (space.isShort() ? options.full() : null);
      return { ok: problem === null, reason: problem?.message ?? null };
    },
    async close() {
      closed = true;
      if (waiting.length > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
      if (probeTimer !== null) clearTimeout(probeTimer);
      room.close();
      await checkpoints.close();
      await disk.close();
    },
  };
}
