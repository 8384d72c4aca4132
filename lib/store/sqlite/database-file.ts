import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../make-folder.ts';
import { migrationsOf } from '../migrations.ts';
import { isCorruption, sqliteCode } from '../storage-error.ts';
import { importJournal } from './import-journal.ts';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Db } from '../database.ts';
import type { Tables } from '../tables.ts';

/**
 * Opens the database file. Before it is opened for writing, the file is checked without a trace: its header by hand,
 * then its schema and pages through a read-only, immutable connection (which makes no -wal or -shm file). Only when a
 * -wal exists (another process lives, or died) is it read through that. A rejected file stays unchanged:
 * - no database, or another program's: DATA_DIR is wrong;
 * - damaged: writing would spread the damage;
 * - made by a newer program: this one does not know its tables.
 * The number of completed migrations is in `user_version`, part of the header; their names are in a table.
 */

const MIGRATIONS = migrationsOf('sqlite');

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const USER_VERSION_OFFSET = 60;
/** Checking every page takes about 10 ms per MiB; above this size only the small tables are checked before a start. */
const FULL_CHECK_BYTES = 33_554_432;
/**
 * Length of the write-ahead log, in pages of 4 KiB, at which SQLite copies it into the database. It does so within a
 * commit: with its default of 1,000, one commit in a few hundred takes 6 ms and more; with this value, one in some
 * thousands takes 25 ms.
 */
const LOG_PAGES = 4_000;
export const LARGE_TABLES: readonly string[] = ['calls', 'call_payloads', 'audit_entries'];

/** A commit survives the end of the process, or also a power failure. */
export type Durability = 'process' | 'power';

export type OpenedFile =
  /** `isDoubtful`: the last stop was unclean, and the large tables are too large to check before the start. */
  { readonly ok: true; readonly db: DatabaseSync; readonly isDoubtful: boolean } | { readonly ok: false; readonly reason: string };

/** Why a file cannot be used, and how to fix that for a server. */
export interface Fault {
  readonly fact: string;
  readonly wayOut: string;
}

class Refusal extends Error {
  readonly fault: Fault;

  constructor(fact: string, wayOut: string) {
    super(`${fact} ${wayOut}`);
    this.fault = { fact, wayOut };
  }
}

const MOVE_AWAY = 'Move it away, or set DATA_DIR to another folder.';
const DAMAGE_WAY_OUT = 'Restore it from a backup, or move it away to start with an empty one.';

export interface OpenDatabaseOptions {
  readonly file: string;
  /** How long to wait for a process that holds a lock (a stopping host); nothing is served yet. */
  readonly lockedMs: number;
  readonly fullCheckBytes?: number | undefined;
  readonly durability: Durability;
}

export function openDatabaseFile(options: OpenDatabaseOptions): OpenedFile {
  const { file, lockedMs, fullCheckBytes = FULL_CHECK_BYTES } = options;
  try {
    prepareFolder(path.dirname(file));
    const isDoubtful = sizeOf(`${file}-wal`) > 0 && sizeOf(file) > fullCheckBytes;
    inspect(file, lockedMs, fullCheckBytes, constants.R_OK | constants.W_OK);
    return { ok: true, db: openForWriting(options), isDoubtful };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.message };
    if (isCorruption(error)) return { ok: false, reason: damaged(file, messageOf(error)) };
    if (sqliteCode(error) === 5) {
      return {
        ok: false,
        reason: `The database ${file} is locked by another process. Stop the program that holds it (another server on the same DATA_DIR?) and start again.`,
      };
    }
    return {
      ok: false,
      reason: `The database ${file} cannot be opened (${messageOf(error)}). Check the permissions and the free space of its folder, or set DATA_DIR to another folder.`,
    };
  }
}

/** Why a file cannot be used as the database, after a check of every page; null when it can. Changes nothing. */
export function explainUnusable(file: string): Fault | null {
  try {
    inspect(file, 0, 0, constants.R_OK);
    const db = openReadOnly(file, 0);
    try {
      const verdict = db.prepare('pragma integrity_check(1)').get();
      const text = String(verdict?.['integrity_check'] ?? 'ok');
      if (text !== 'ok') return damage(file, text.split('\n').slice(0, 2).join(' '));
      const known = db.prepare("select 1 from sqlite_schema where name = 'switchboard_migrations'").get();
      return known === undefined ? { fact: `${file} is not a database of this program.`, wayOut: MOVE_AWAY } : null;
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Refusal) return error.fault;
    if (isCorruption(error)) return damage(file, messageOf(error));
    return { fact: `The database ${file} cannot be read (${messageOf(error)}).`, wayOut: 'Check its permissions.' };
  }
}

function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Refusal(
      `The data folder ${folder} cannot be used (${messageOf(error)}).`,
      `Make it a folder that the user running the server may read and write, or set DATA_DIR to another one.`,
    );
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** @param access required permissions: reading, and writing for a server */
function inspect(file: string, lockedMs: number, fullCheckBytes: number, access: number): void {
  if (!existsSync(file)) return;
  if (!statSync(file).isFile()) throw new Refusal(`${file} is not a file.`, MOVE_AWAY);
  const { header, size } = readHeader(file, access);
  if (size === 0) return;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new Refusal(`${file} is not a database.`, 'Move it away or restore it from a backup, or set DATA_DIR to another folder.');
  }
  if (header.length < HEADER_BYTES) throw damagedFile(file, 'it is cut off');
  refuseNewer(file, header.readUInt32BE(USER_VERSION_OFFSET));
  const db = openReadOnly(file, lockedMs);
  try {
    inspectSchema(file, db);
    inspectPages(file, db, size > fullCheckBytes);
  } finally {
    db.close();
  }
}

function readHeader(file: string, access: number): { header: Buffer; size: number } {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY);
    accessSync(file, access);
  } catch (error) {
    throw new Refusal(
      `The database ${file} cannot be read or written (${messageOf(error)}).`,
      'Give the user that runs the server permission to do so.',
    );
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return { header: header.subarray(0, length), size: fstatSync(descriptor).size };
  } finally {
    closeSync(descriptor);
  }
}

function openReadOnly(file: string, lockedMs: number): DatabaseSync {
  if (existsSync(`${file}-wal`)) return new DatabaseSync(file, { readOnly: true, timeout: lockedMs });
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

function inspectSchema(file: string, db: DatabaseSync): void {
  refuseNewer(file, userVersion(db));
  const tables = db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map((row) => String(row['name']));
  if (tables.length === 0) return;
  if (!tables.includes('switchboard_migrations')) {
    throw new Refusal(`${file} is a database of another program.`, MOVE_AWAY);
  }
  const known = new Set(MIGRATIONS.map((migration) => migration.name));
  const done = db
    .prepare('select name from switchboard_migrations order by name')
    .all()
    .map((row) => String(row['name']));
  if (done.some((name) => !known.has(name))) throw newer(file);
}

function inspectPages(file: string, db: DatabaseSync, isLarge: boolean): void {
  const rows = db.prepare("select name from sqlite_schema where type = 'table' and sql like '%strict'").all();
  for (const row of rows) {
    const table = String(row['name']);
    if (isLarge && LARGE_TABLES.includes(table)) continue;
    const verdict = db.prepare(`pragma quick_check("${table.replaceAll('"', '""')}")`).get();
    const text = String(verdict?.['quick_check'] ?? 'ok');
    if (text !== 'ok') throw damagedFile(file, text.split('\n').slice(0, 2).join(' '));
  }
}

function openForWriting({ file, lockedMs, durability }: OpenDatabaseOptions): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: lockedMs, enableForeignKeyConstraints: true });
  try {
    const mode = db.prepare('pragma journal_mode = wal').get();
    if (mode?.['journal_mode'] !== 'wal') {
      throw new Refusal(
        `The folder of ${file} does not support a write-ahead log (a network drive?).`,
        'Set DATA_DIR to a folder on a local disk.',
      );
    }
    // Normal: a commit is with the operating system and survives a killed process. Full: it is on the disk.
    db.exec(`pragma synchronous = ${durability === 'power' ? 'full' : 'normal'}`);
    db.exec('pragma journal_size_limit = 67108864');
    db.exec(`pragma wal_autocheckpoint = ${LOG_PAGES}`);
    migrate(file, db);
    importJournal(file, db);
    db.exec('pragma busy_timeout = 0');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Takes the write lock even with nothing to do, so that a start notices another process that holds it. */
function migrate(file: string, db: DatabaseSync): void {
  const builder = createQueryBuilder();
  db.exec('begin immediate');
  try {
    const done = userVersion(db);
    refuseNewer(file, done);
    if (done < MIGRATIONS.length) {
      db.exec('create table if not exists switchboard_migrations (name text not null primary key, applied_at text not null) strict');
      for (const migration of MIGRATIONS.slice(done)) {
        for (const statement of migration.statements(builder, 'sqlite')) {
          const { sql, parameters } = statement.compile();
          db.prepare(sql).run(...parameters.map((value) => (typeof value === 'number' ? value : String(value))));
        }
        db.prepare('insert into switchboard_migrations (name, applied_at) values (?, ?)').run(migration.name, new Date().toISOString());
      }
      db.exec(`pragma user_version = ${MIGRATIONS.length}`);
    }
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

function userVersion(db: DatabaseSync): number {
  return Number(db.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}

function refuseNewer(file: string, version: number): void {
  if (version > MIGRATIONS.length) throw newer(file);
}

function newer(file: string): Refusal {
  const fact = `The database ${file} was made by a newer version of this program.`;
  return new Refusal(fact, 'Start that version, or set DATA_DIR to another folder.');
}

export function damaged(file: string, detail: string): string {
  return damagedFile(file, detail).message;
}

function damagedFile(file: string, detail: string): Refusal {
  const { fact, wayOut } = damage(file, detail);
  return new Refusal(fact, wayOut);
}

function damage(file: string, detail: string): Fault {
  return { fact: `The database ${file} is damaged (${detail}).`, wayOut: DAMAGE_WAY_OUT };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n').join(' ');
}

/**
 * Kysely as a typed SQL builder: queries are compiled here and run by the synchronous connection, which caches prepared
 * statements. The same builders can compile for another dialect.
 */
export function createQueryBuilder(): Db {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
