import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Database, Db, WriteOptions, CallWriter } from '../database.ts';
import { POSTGRES } from '../dialect.ts';
import { isStorageError, storageError, storeClosed } from '../storage-error.ts';
import type { OpenDatabase } from '../sqlite/sqlite-database.ts';
import type { StorageError } from '../store.ts';
import { createPostgresAttempts, createPostgresInstances } from './postgres-instances.ts';
import { isConnectionLost, isSerializationFailure } from './postgres-error.ts';
import { createPostgresEvents } from './postgres-events.ts';
import { createPostgresFiles } from './postgres-files.ts';
import { listenForNotices } from './postgres-notices.ts';
import type { ListeningNotices } from './postgres-notices.ts';
import { createPool, migrate, NewerSchema, type Pool } from './postgres-pool.ts';
import { createPostgresSearch } from './postgres-search.ts';
import { callQuery } from '../call-queries.ts';
import type { Values } from '../call-rows.ts';
import type { CallSearch } from '../search-words.ts';
import type { Durability } from '../sqlite/database-file.ts';
import type { SqlValue } from '../sqlite/sqlite-connection.ts';
import { createWriteBatches } from './write-batches.ts';
import type { WriteBatches } from './write-batches.ts';

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
  readonly durability: Durability;
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
  const { url, connections, statementMs, startMs, lostMs = LIMITS.storageLockedMs, durability } = options;
  const pool = createPool({ url, connections, statementMs, connectMs: CONNECT_MS, durability });
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

/** Columns of `calls` with their types; the last ones are of `call_payloads`. */
const BEGUN = {
  id: 'text',
  tool: 'text',
  extension: 'text',
  revision: 'bigint',
  snapshot_version: 'bigint',
  source: 'text',
  actor: 'text',
  started_at: 'bigint',
  replay_of: 'text',
  instance: 'text',
  redacted_json: 'text',
  arguments_json: 'text',
  arguments_cut: 'bigint',
} as const;
const ENDED = {
  id: 'text',
  revision: 'bigint',
  status: 'text',
  finished_at: 'bigint',
  duration_us: 'bigint',
  progress_json: 'text',
  logs_truncated: 'bigint',
  result_json: 'text',
  result_cut: 'bigint',
  error_json: 'text',
  error_cut: 'bigint',
  logs_json: 'text',
  logs_cut: 'bigint',
} as const;
const PAYLOAD_OF_END = ['result_json', 'error_json', 'logs_json'] as const;

interface Row {
  readonly row: Values;
  readonly payload: Values | null;
}

/**
 * Begins and ends of calls: the writes of one turn of the event loop are one statement, and so one commit. Repeating
 * either changes nothing, so a lost connection is answered by trying again.
 */
function createPostgresCalls(pool: Pool, search: CallSearch, guard: Guard): CallWriter & { settled(): Promise<void> } {
  const begun = batches(1, guard, async (rows, tries) => {
    const values = [...columnsOf(rows, Object.keys(BEGUN)), rows.map(({ payload }) => payload?.['arguments_json'] ?? null)];
    const found = await pool.query<{ id: string }>('calls_begun', BEGIN_SQL, values);
    const ids = new Set(found.map(({ id }) => id));
    const missing = rows.map(({ row }) => String(row['id'])).filter((id) => !ids.has(id));
    if (missing.length > 0) {
      await refuseCutOff(rows[0]?.row['instance'] ?? null);
      // After a lost connection they may exist already.
      if (tries > 1) for (const { id } of await storedOf(missing)) ids.add(id);
    }
    return rows.map(({ row }) => ids.has(String(row['id'])));
  });
  // A second group is sent while the first one waits for the disk.
  const ended = batches(2, guard, async (given) => {
    const firsts = new Map(given.toReversed().map((one) => [one.row['id'], one]));
    const rows = [...firsts.values()];
    const payloads = PAYLOAD_OF_END.map((column) => rows.map(({ payload }) => payload?.[column] ?? null));
    const hasPayload = rows.map(({ payload }) => payload !== null);
    const found = await pool.query<{ id: string }>('calls_ended', END_SQL, [
      ...columnsOf(rows, Object.keys(ENDED)),
      hasPayload,
      ...payloads,
    ]);
    const ids = new Set(found.map(({ id }) => id));
    // A second end of one call in a group is not written; it is right only if it is the same.
    return given.map((one) => ids.has(String(one.row['id'])) && firsts.get(one.row['id']) === one);
  });

  return {
    async settled() {
      await Promise.all([begun.settled(), ended.settled()]);
    },
    async insertRunning(call) {
      if (!(await begun.add(call))) throw new Error(`There is a call ${String(call.row['id'])} already.`);
      search.noteInserted();
    },
    async finish(end) {
      const id = String(end.row['id']);
      if (!(await ended.add(end))) await refuseUnlessStored(id, end.row);
      search.noteFinished(id);
    },
  };

  function storedOf(ids: readonly string[]): Promise<{ readonly id: string }[]> {
    return pool.db.selectFrom('calls').select('id').where('id', 'in', ids).execute();
  }

  /** Other servers have ended the calls of this one, so they would end these too. */
  async function refuseCutOff(instance: SqlValue): Promise<void> {
    const row = await pool.db.selectFrom('instances').select('state').where('id', '=', String(instance)).executeTakeFirst();
    if (row?.state === 'gone')
      throw storageError('storage_unavailable', 'This server was cut off from the database for too long. It joins again in a few seconds');
  }

  async function refuseUnlessStored(id: string, end: Values): Promise<void> {
    const row = await callQuery(pool.db, id).executeTakeFirst();
    const isKept = row !== undefined && Object.entries(row).every(([column, value]) => !(column in end) || end[column] === value);
    if (!isKept) throw new Error(`Call ${id} is not running, so it cannot be finished.`);
  }
}

/** Repeats a write while the connection is lost, for a limited time. */
type Guard = <Value>(work: (tries: number) => Promise<Value>) => Promise<Value>;

function batches(
  atOnce: number,
  guard: Guard,
  write: (rows: readonly Row[], tries: number) => Promise<readonly boolean[]>,
): WriteBatches<Row, boolean> {
  return createWriteBatches(atOnce, sizeOf, (rows) => guard((tries) => write(rows, tries)));
}

/** Columns that lists do not read; the others are short. */
function sizeOf({ payload }: Row): number {
  return Object.values(payload ?? {}).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

function columnsOf(rows: readonly Row[], names: readonly string[]): unknown[][] {
  return names.map((name) => rows.map(({ row }) => row[name] ?? null));
}

function unnest(columns: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>): string {
  const all = { ...columns, ...more };
  const parameters = Object.values(all).map((type, at) => `$${at + 1}::${type}[]`);
  return `unnest(${parameters.join(', ')}) with ordinality as given(${Object.keys(all).join(', ')}, place)`;
}

const BEGUN_NAMES = Object.keys(BEGUN).join(', ');
const BEGIN_SQL = `
  with given as (select * from ${unnest(BEGUN, { payload: 'text' })}),
  begun as (
    insert into calls (${BEGUN_NAMES}, status, logs_truncated, result_cut, error_cut, logs_cut)
    select ${BEGUN_NAMES}, 'running', 0, 0, 0, 0 from given
    where not exists (select 1 from instances where instances.id = given.instance and instances.state = 'gone')
    order by place
    on conflict (id) do nothing returning id),
  payloads as (
    insert into call_payloads (call_id, arguments_json)
    select given.id, payload from given join begun on begun.id = given.id where payload is not null)
  select id from begun`;

const CHANGED = Object.keys(ENDED).filter((name) => name !== 'id');
const END_SQL = `
  with given as (select * from ${unnest(ENDED, { has_payload: 'boolean', ...Object.fromEntries(PAYLOAD_OF_END.map((name) => [`whole_${name}`, 'text'])) })}),
  ended as (
    update calls set ${CHANGED.map((name) => `${name} = given.${name}`).join(', ')}
    from given where calls.id = given.id and calls.status = 'running' returning calls.id),
  payloads as (
    insert into call_payloads (call_id, ${PAYLOAD_OF_END.join(', ')})
    select given.id, ${PAYLOAD_OF_END.map((name) => `whole_${name}`).join(', ')}
    from given join ended on ended.id = given.id where has_payload
    on conflict (call_id) do update set ${PAYLOAD_OF_END.map((name) => `${name} = excluded.${name}`).join(', ')})
  select id from ended`;
