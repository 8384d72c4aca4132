import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { LIMITS } from '#lib/contract/limits.ts';
import { createAccountRepository } from './account-repository.ts';
import { createAuditRepository } from './audit-repository.ts';
import { createCallRepository } from './call-repository.ts';
import { createChannelRepository } from './channel-repository.ts';
import type { Database } from './database.ts';
import { type Durability, explainUnusable } from './sqlite/database-file.ts';
import { createExtensionRepository } from './extension-repository.ts';
import { createFailureGroupRepository } from './failure-group-repository.ts';
import { createFailureRepository } from './failure-repository.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { createRetention } from './retention.ts';
import { createRevisionRepository } from './revision-repository.ts';
import { createSavedCallRepository } from './saved-call-repository.ts';
import { createSecretRepository } from './secret-repository.ts';
import { createSnapshotRepository } from './snapshot-repository.ts';
import { type OpenDatabase, openSqlite } from './sqlite/sqlite-database.ts';
import type { OpenStore, Store } from './store.ts';
import { createServerSignInRepository } from './server-sign-in-repository.ts';
import { createOAuthRepository } from './oauth-repository.ts';
import { createTokenRepository } from './token-repository.ts';
import { createToolsetRepository } from './toolset-repository.ts';
import { migrationsOf } from './migrations.ts';

interface SqliteStoreOptions {
  /** Absolute path of the database; its folder is created when missing. */
  readonly file: string;
  /** How long a write waits for another process's lock before it is refused. */
  readonly lockedMs?: number;
  /** Above this size the large tables are not checked before a start, but in the background after an unclean stop. */
  readonly fullCheckBytes?: number;
  /** A commit survives the end of the process, or also a power failure. */
  readonly durability?: Durability;
  now?(): Date;
}

interface PostgresStoreOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** Connections at most. */
  readonly connections?: number;
  /** How long one statement may take. */
  readonly statementMs?: number;
  /** How long a start waits for a database that does not answer yet. */
  readonly startMs?: number;
  /** How long a write waits for a lost connection before it is refused. */
  readonly lostMs?: number;
  /** False: a command that only reads, also while a server uses the database. */
  readonly isServer?: boolean;
  /** A commit survives what the setting of the database makes it survive, or also a power failure. */
  readonly durability?: Durability;
  now?(): Date;
}

const CONNECTIONS = 10;
const STATEMENT_MS = 30_000;
const START_MS = 30_000;

/** Opens or creates the tables in a file of SQLite, or in a database of PostgreSQL. The store owns it until `close`. */
export async function openStore(options: SqliteStoreOptions | PostgresStoreOptions): Promise<OpenStore> {
  const opened = await ('url' in options ? openServer(options) : openFile(options));
  if (!opened.ok) return opened;
  const now = options.now ?? (() => new Date());
  const { database, examined } = opened;
  let closing: Promise<void> | null = null;
  return {
    ok: true,
    store: {
      retention: createRetention(database),
      calls: createCallRepository(database, now),
      idempotency: createIdempotencyRepository(database),
      savedCalls: createSavedCallRepository(database),
      revisions: createRevisionRepository(database.read),
      extensions: createExtensionRepository(database.read),
      failures: createFailureRepository(database.read),
      snapshots: createSnapshotRepository(database.read, database.dialect),
      commitSet: createCommitSet(database),
      failureGroups: createFailureGroupRepository(database),
      channels: createChannelRepository(database),
      accounts: createAccountRepository(database),
      tokens: createTokenRepository(database),
      oauth: createOAuthRepository(database),
      serverSignIns: createServerSignInRepository(database),
      secrets: createSecretRepository(database),
      toolsets: createToolsetRepository(database),
      audit: createAuditRepository(database),
      shared: database.shared,
      ...createEventIds(database),
      examined,
      health: database.health,
      close: () => (closing ??= database.close()),
    },
  };
}

function openFile({
  file,
  lockedMs = LIMITS.storageLockedMs,
  fullCheckBytes,
  durability = 'process',
}: SqliteStoreOptions): Promise<OpenDatabase> {
  return openSqlite({ file, lockedMs, fullCheckBytes, durability });
}

/** Only then is its driver loaded. */
async function openServer(options: PostgresStoreOptions): Promise<OpenDatabase> {
  const { openPostgres } = await import('./postgres/postgres-database.ts');
  const defaults = {
    connections: CONNECTIONS,
    statementMs: STATEMENT_MS,
    startMs: START_MS,
    isServer: true,
    durability: 'process',
  } as const;
  return openPostgres({ ...defaults, ...options });
}

/** A host killed during a load must not leave a revision without its failure, or a failure without its snapshot. */
function createCommitSet(database: Database): Store['commitSet'] {
  return (work) =>
    database.write((db) => {
      const revisions = createRevisionRepository(db);
      const extensions = createExtensionRepository(db);
      const snapshots = createSnapshotRepository(db, database.dialect);
      return work({
        revisions,
        extensions,
        snapshots,
        insertRevision: revisions.insertRevision,
        updateRevision: revisions.updateRevision,
        putExtension: extensions.putExtension,
        recordFailure: createFailureRepository(db).recordFailure,
        insertSnapshot: snapshots.insertSnapshot,
      });
    });
}

/** Ids of events, never used twice: the database has the first that was never reserved. */
function createEventIds({ write }: Database): Pick<Store, 'reserveEventIds' | 'releaseEventIds'> {
  return {
    reserveEventIds: (count) =>
      write(async (db) => {
        const { value } = await db
          .updateTable('counters')
          .set((eb) => ({ value: eb('value', '+', count) }))
          .where('name', '=', 'event_ids')
          .returning('value')
          .executeTakeFirstOrThrow();
        return value - count;
      }),
    releaseEventIds: (next, end) =>
      write(async (db) => {
        const unchanged = db.updateTable('counters').where('name', '=', 'event_ids').where('value', '=', end);
        await unchanged.set({ value: sql`${next}` }).execute();
      }),
  };
}

/** Inspects a database without creating or changing anything. */
type ExaminedDatabase = { readonly ok: true; readonly message: string } | { readonly ok: false; readonly reason: string };

const CONNECT_MS = 5_000;

export async function examineDatabase(settings: { readonly file: string } | { readonly url: string }): Promise<ExaminedDatabase> {
  if ('url' in settings) return examineServer(settings.url);
  if (!existsSync(settings.file)) return { ok: true, message: 'SQLite; the first start creates it' };
  const fault = explainUnusable(settings.file);
  return fault === null
    ? { ok: true, message: `SQLite ${process.versions['sqlite'] ?? ''}, ${settings.file}` }
    : { ok: false, reason: `${fault.fact} ${fault.wayOut}` };
}

async function examineServer(url: string): Promise<ExaminedDatabase> {
  const { createPool } = await import('./postgres/postgres-pool.ts');
  const pool = createPool({ url, connections: 1, statementMs: CONNECT_MS, connectMs: CONNECT_MS, durability: 'process' });
  try {
    const [server] = await pool.query<{ version: string; has_tables: boolean }>(
      'server',
      `select current_setting('server_version') as version, to_regclass('switchboard_migrations') is not null as has_tables`,
      [],
    );
    if (server === undefined) return { ok: false, reason: `The database at ${pool.place} did not answer.` };
    const done = server.has_tables ? await pool.query<{ name: string }>('migrations', 'select name from switchboard_migrations', []) : [];
    const known = new Set(migrationsOf('postgres').map(({ name }) => name));
    const left = known.size - done.length;
    if (done.some(({ name }) => !known.has(name)))
      return {
        ok: false,
        reason: `The database at ${pool.place} was made by a newer version of this program. Start that version, or set DATABASE_URL to another database.`,
      };
    const state = server.has_tables
      ? left === 0
        ? 'up to date'
        : `${left} migrations left for the next start`
      : 'the first start creates the tables';
    return { ok: true, message: `PostgreSQL ${server.version} at ${pool.place}, ${state}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The database at ${pool.place} cannot be used (${why}).` };
  } finally {
    await pool.close();
  }
}
