import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Database, Db, WriteOptions } from '../database.ts';
import { POSTGRES } from '../dialect.ts';
import { isStorageError, storageError, storeClosed } from '../storage-error.ts';
import type { OpenDatabase } from '../sqlite/sqlite-database.ts';
import type { StorageError } from '../store.ts';
import { createPostgresAttempts } from './postgres-attempts.ts';
import { createPostgresCalls } from './postgres-calls.ts';
import { isConnectionLost, isSerializationFailure } from './postgres-error.ts';
import { createPostgresEvents } from './postgres-events.ts';
import { createPostgresFiles } from './postgres-files.ts';
import { createPostgresInstances } from './postgres-instances.ts';
import { listenForNotices } from './postgres-notices.ts';
import type { ListeningNotices } from './postgres-notices.ts';
import { migrate, NewerSchema } from './postgres-migrations.ts';
import { createPool } from './postgres-pool.ts';
import type { Pool } from './postgres-pool.ts';
import { createPostgresSearch } from './postgres-search.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  readonly statementMs: number;
  /** How long a start waits for a database that does not answer yet. */
  readonly startMs: number;
  /** How long a write waits for a lost connection before it is refused. */
  readonly lostMs?: number;
  /** False: a command beside the servers, which takes no part in what they share. */
  readonly isServer: boolean;
}

const CONNECT_MS = 5_000;
const RETRY_FIRST_MS = 20;
const RETRY_MOST_MS = 500;
const SERIALIZATION_TRIES = 12;
const PROBE_MS = 500;

/**
 * A database of PostgreSQL. What can go wrong:
 * - it does not answer at the start: the start waits for it, since both may start together;
 * - it goes away: a read fails at once, a write waits for a while; a probe notices when it is back;
 * - two transactions conflict: the refused one is retried;
 * - a connection is lost during a commit: whether it happened is unknown, so only writes that may be repeated are.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpenDatabase> {
  const { url, connections, statementMs, startMs, lostMs = LIMITS.storageLockedMs } = options;
  const pool = createPool({ url, connections, statementMs, connectMs: CONNECT_MS });
  try {
    await whenAnswering(() => migrate(pool.onConnection), startMs);
    const notices = options.isServer ? await listenForNotices(url) : null;
    return { ok: true, examined: null, database: createDatabase(pool, notices, lostMs) };
  } catch (error) {
    await pool.close();
    return { ok: false, reason: reasonOf(error, pool.place) };
  }
}

function reasonOf(error: unknown, place: string): string {
  if (error instanceof NewerSchema)
    return `The database at ${place} was made by a newer version of this program. Start that version, or set DATABASE_URL to another database.`;
  const why = error instanceof Error ? error.message : String(error);
  return isStorageError(error) ? why : `The database at ${place} cannot be used (${why}).`;
}

async function whenAnswering(work: () => Promise<void>, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLost(causeOf(error)) || performance.now() > until) throw error;
    }
    await delay(waitMs);
  }
}

function causeOf(error: unknown): unknown {
  return isStorageError(error) ? error.cause : error;
}

function createDatabase(pool: Pool, notices: ListeningNotices | null, lostMs: number): Database {
  let failure: StorageError | null = null;
  let probeTimer: NodeJS.Timeout | undefined;
  /** Waits for running writes, and refuses new ones. */
  let isClosing = false;
  let isClosed = false;
  /** Transactions run one after the other, as with SQLite: two of one server would only refuse each other. */
  let last: Promise<unknown> = Promise.resolve();
  const running = new Set<Promise<unknown>>();

  function noteFailure(error: unknown): void {
    if (!isStorageError(error) || isClosed) return;
    failure = error;
    probeTimer ??= setTimeout(() => {
      probeTimer = undefined;
      pool
        .query('probe', `update counters set value = value where name = 'event_ids'`, [])
        .then(() => (failure = null))
        .catch(noteFailure);
    }, PROBE_MS).unref();
  }

  function track<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isClosed) return Promise.reject(storeClosed());
    const done = work().then(
      (value) => {
        failure = null;
        return value;
      },
      (error: unknown) => {
        noteFailure(error);
        throw error;
      },
    );
    const settled = done.catch(() => undefined);
    running.add(settled);
    void settled.finally(() => running.delete(settled));
    return done;
  }

  /** Retries idempotent writes while the connection is lost. */
  async function whileLost<Value>(work: (tries: number) => Promise<Value>): Promise<Value> {
    const until = performance.now() + lostMs;
    for (let waitMs = RETRY_FIRST_MS, tries = 1; ; waitMs = Math.min(waitMs * 2, RETRY_MOST_MS), tries += 1) {
      try {
        return await work(tries);
      } catch (error) {
        const cause = causeOf(error);
        const isWorthIt = isSerializationFailure(cause)
          ? tries < SERIALIZATION_TRIES
          : isConnectionLost(cause) && performance.now() < until;
        if (!isWorthIt) throw error;
      }
      await delay(waitMs * (0.5 + Math.random() / 2));
    }
  }

  /** The isolation level `serializable`. */
  function transact<Value>(work: (db: Db) => Promise<Value>): Promise<Value> {
    let isCommitting = false;
    return pool
      .onConnection(async (db, run) => {
        await run('begin isolation level serializable');
        const value = await work(db);
        isCommitting = true;
        await run('commit');
        return value;
      })
      .catch((error: unknown) => {
        if (!isCommitting || !isConnectionLost(causeOf(error))) throw error;
        throw storageError(
          'storage_unavailable',
          `The connection to the database at ${pool.place} was lost while a change was stored, so it may have been stored. Look before you try again.`,
        );
      });
  }

  async function write<Value>(work: (db: Db) => Promise<Value>, { onCommitted }: WriteOptions = {}): Promise<Value> {
    if (isClosing) throw storeClosed();
    const done = last.then(() => track(() => whileLost(() => transact(work))));
    last = done.catch(() => undefined);
    const value = await done;
    onCommitted?.();
    return value;
  }

  const search = createPostgresSearch(pool.db, (work) =>
    track(() =>
      pool.onConnection(async (db, run) => {
        await run('begin');
        const value = await work(db);
        await run('commit');
        return value;
      }),
    ),
  );
  const writer = createPostgresCalls(pool, search, (work) => track(() => whileLost(work)));
  return {
    dialect: POSTGRES,
    read: pool.db,
    write,
    statement: (work) => (isClosing ? Promise.reject(storeClosed()) : track(() => whileLost(() => work(pool.db)))),
    writer: {
      insertRunning: async (call) => (isClosing ? Promise.reject(storeClosed()) : writer.insertRunning(call)),
      finish: async (end) => (isClosing ? Promise.reject(storeClosed()) : writer.finish(end)),
    },
    search,
    shared:
      notices === null
        ? null
        : {
            instances: createPostgresInstances(pool.db),
            events: createPostgresEvents(pool),
            files: createPostgresFiles(pool),
            attempts: createPostgresAttempts(pool.db),
            notices,
          },
    health() {
      if (failure === null && notices?.isAway())
        return { ok: false, isAway: true, reason: `The database at ${pool.place} does not answer. It is tried again.` };
      if (failure === null) return { ok: true, reason: null };
      return { ok: false, reason: failure.message, isAway: isConnectionLost(failure.cause) };
    },
    async close() {
      isClosing = true;
      search.close();
      await Promise.all([writer.settled(), last]);
      isClosed = true;
      clearTimeout(probeTimer);
      await Promise.all(running);
      await notices?.close();
      await pool.close();
    },
  };
}
