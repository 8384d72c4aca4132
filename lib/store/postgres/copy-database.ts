import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SQLOutputValue } from 'node:sqlite';
import pg from 'pg';
import { DATABASE_NAME } from '../sqlite/backup-file.ts';
import { claimFolder } from '../sqlite/folder-claim.ts';
import { openSqlite } from '../sqlite/sqlite-database.ts';
import { toPostgresError } from './postgres-error.ts';
import { createPool, migrate, placeOf, storedText } from './postgres-pool.ts';

/**
 * Copies a SQLite installation into an empty database of PostgreSQL: all of it or nothing. The rows go into a schema of
 * their own, whose tables are moved to their place in one transaction, after the count and the checksum of every table
 * were compared.
 *
 * What can go wrong:
 * - a server uses the folder, or the database has the tables already: refused;
 * - the command or the connection ends: what was copied stays in that schema, and the next run continues there;
 * - the folder was used between two runs: the checksums differ, and the copy begins again;
 * - a server starts on the database meanwhile: the tables cannot be moved, and the reason says so.
 */
export type CopyOutcome =
  | { readonly ok: true; readonly rows: number; readonly tables: number; readonly place: string }
  | { readonly ok: false; readonly reason: string };

export interface CopyProgress {
  readonly table: string;
  readonly doing: 'copied' | 'verified';
  readonly rows: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly dataDir: string;
  /** postgres://user:password@host:port/database */
  readonly url: string;
  readonly signal: AbortSignal;
  onProgress(progress: CopyProgress): void;
}

const SCHEMA = 'switchboard_copy';
/** Progress of the copy; the table is dropped with its schema. */
const POSITIONS = 'copied_tables';
/** Filled by the new server from the calls. */
const DERIVED = new Set(['call_words', 'switchboard_migrations', POSITIONS]);
/** Positions in the search index of SQLite, which PostgreSQL does not use. */
const ROWS: Readonly<Record<string, string>> = { counters: `name = 'event_ids'` };
const BATCH_ROWS = 1_000;
const BATCH_CHARACTERS = 4_194_304;
const CONNECT_MS = 5_000;
/** Any number that other programs do not use for their locks. */
const COPY_LOCK = 7_327_160_273;

class Refusal extends Error {}

export async function copyDatabase(options: CopyOptions): Promise<CopyOutcome> {
  const { dataDir, url } = options;
  const file = path.join(dataDir, DATABASE_NAME);
  if (!existsSync(file)) return refuse(`There is no database in ${dataDir}. Set DATA_DIR to the folder that the server uses.`);
  const claimed = claimFolder(dataDir);
  if (!claimed.ok)
    return refuse(claimed.isTaken ? `A server uses ${dataDir}. Stop it first: what it writes later would not be copied.` : claimed.reason);
  try {
    const migrated = await migrateSource(file);
    if (migrated !== null) return refuse(migrated);
    using source = new DatabaseSync(file, { readOnly: true });
    return await copyFrom(source, options);
  } catch (error) {
    if (options.signal.aborted) return refuse('The copy was stopped, and nothing was moved. Run the command again to continue it.');
    return refuse(error instanceof Refusal ? error.message : explain(error, placeOf(url)));
  } finally {
    claimed.claim.release();
  }
}

/** A database of an older version gets the tables of this one. */
async function migrateSource(file: string): Promise<string | null> {
  const opened = await openSqlite({ file, lockedMs: CONNECT_MS, durability: 'power' });
  if (!opened.ok) return opened.reason;
  await opened.database.close();
  return null;
}

async function copyFrom(source: DatabaseSync, options: CopyOptions): Promise<CopyOutcome> {
  const client = new pg.Client({
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'switchboard copy',
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const home = await claimTarget(client);
    const isContinued = await prepareSchema(client, options.url);
    const tables = await tablesOf(source, client);
    await copyAll(source, client, tables, options);
    let differing = await verify(source, client, tables, options);
    if (differing !== null && isContinued) {
      await dropSchema(client);
      await prepareSchema(client, options.url);
      await copyAll(source, client, tables, options);
      differing = await verify(source, client, tables, options);
    }
    if (differing !== null)
      throw new Refusal(`The copy of the table ${differing} differs from its source, so nothing was moved. Run the command again.`);
    await moveTables(client, home);
    const rows = tables.reduce((sum, table) => sum + countOf(source, table), 0);
    return { ok: true, rows, tables: tables.length, place: placeOf(options.url) };
  } finally {
    await client.end();
  }
}

/** @returns the schema in which a server will look for its tables */
async function claimTarget(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ held: boolean; home: string | null; version: string }>(
    `select pg_try_advisory_lock(${COPY_LOCK}) as held, current_schema() as home, current_setting('server_version_num') as version`,
  );
  const [row] = rows;
  if (row?.held !== true) throw new Refusal('Another copy into this database is running. Wait for it, or stop it.');
  if (Number(row.version) < 140_000) throw new Refusal('PostgreSQL 14 or newer is required.');
  if (row.home === null) throw new Refusal('The user in DATABASE_URL has no schema to create tables in. Grant it one, such as public.');
  await client.query('set statement_timeout = 0');
  const taken = await client.query(`select 1 from pg_tables where schemaname = $1 and tablename = 'switchboard_migrations'`, [row.home]);
  if (taken.rows.length > 0)
    throw new Refusal('The database already has tables of Switchboard, and a copy overwrites nothing. Name an empty database.');
  return row.home;
}

/** @returns whether an earlier copy is continued */
async function prepareSchema(client: pg.Client, url: string): Promise<boolean> {
  const known = await client.query(`select 1 from pg_tables where schemaname = '${SCHEMA}' and tablename = '${POSITIONS}'`);
  if (known.rows.length === 0) {
    await dropSchema(client);
    await client.query(`create schema ${SCHEMA}`);
  }
  const pool = createPool({ url, connections: 1, statementMs: 0, connectMs: CONNECT_MS, durability: 'power' });
  try {
    await migrate((work) =>
      pool.onConnection(async (db, run) => {
        await run(`set search_path = ${SCHEMA}`);
        return await work(db, run);
      }),
    );
  } finally {
    await pool.close();
  }
  await client.query(`set search_path = ${SCHEMA}`);
  if (known.rows.length > 0) return true;
  // A server would write these at its first start.
  await client.query(`delete from counters where ${ROWS['counters']}`);
  await client.query(`create table ${POSITIONS} (name text primary key, position bigint not null)`);
  return false;
}

async function dropSchema(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${SCHEMA} cascade`);
}

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Referenced tables first, as the migrations create them. */
async function tablesOf(source: DatabaseSync, client: pg.Client): Promise<readonly Table[]> {
  const { rows } = await client.query<{ name: string; column: string; type: string }>(
    `select c.relname as name, a.attname as column, t.typname as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
      where c.relnamespace = '${SCHEMA}'::regnamespace and c.relkind = 'r' and a.attnum > 0 and a.attgenerated = '' and not a.attisdropped
      order by c.oid, a.attnum`,
  );
  const tables = Map.groupBy(rows, ({ name }) => name);
  return [...tables]
    .filter(([name]) => !DERIVED.has(name) && isIn(source, name))
    .map(([name, columns]) => ({ name, columns: columns.map(({ column, type }) => ({ name: column, type })) }));
}

/** Tables of shared state do not exist in a SQLite file. */
function isIn(source: DatabaseSync, name: string): boolean {
  return source.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined;
}

async function copyAll(source: DatabaseSync, client: pg.Client, tables: readonly Table[], options: CopyOptions): Promise<void> {
  for (const table of tables) {
    const total = countOf(source, table);
    let rows = 0;
    for (const batch of batchesOf(source, table, await positionOf(client, table))) {
      options.signal.throwIfAborted();
      await insert(client, table, batch);
      rows += batch.rows.length;
      options.onProgress({ table: table.name, doing: 'copied', rows, total });
    }
  }
}

async function positionOf(client: pg.Client, { name }: Table): Promise<number> {
  const { rows } = await client.query<{ position: string }>(`select position from ${POSITIONS} where name = $1`, [name]);
  return Number(rows[0]?.position ?? 0);
}

interface Batch {
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly position: number;
}

/** In the order of `rowid`, which every table has. */
function* batchesOf(source: DatabaseSync, table: Table, position: number): Generator<Batch> {
  const statement = source.prepare(`select rowid as rowid, ${columnsOf(table)} ${sourceRows(table, 'rowid > ?')} order by rowid`);
  statement.setReturnArrays(true);
  let rows: (string | number | null)[][] = [];
  let characters = 0;
  let last = position;
  for (const row of statement.iterate(position) as unknown as Iterable<SQLOutputValue[]>) {
    const [rowid, ...values] = row;
    rows.push(values.map(stored));
    last = Number(rowid);
    characters += values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
    if (rows.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
    yield { rows, position: last };
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield { rows, position: last };
}

function stored(value: SQLOutputValue | undefined): string | number | null {
  if (typeof value === 'string') return storedText(value);
  if (typeof value === 'number' || value === null) return value;
  throw new Refusal(`The source has a value of type ${typeof value}, which no table of this version has.`);
}

function sourceRows({ name }: Table, condition = 'true'): string {
  return `from "${name}" where ${condition} and ${ROWS[name] ?? 'true'}`;
}

function columnsOf({ columns }: Table): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

/** With the position in one transaction, so that a later run continues behind exactly these rows. */
async function insert(client: pg.Client, table: Table, { rows, position }: Batch): Promise<void> {
  const parameters = table.columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ');
  await client.query('begin');
  try {
    await client.query(
      `insert into "${table.name}" (${columnsOf(table)}) overriding system value select * from unnest(${parameters})`,
      table.columns.map((_, at) => rows.map((row) => row[at] ?? null)),
    );
    await client.query(
      `insert into ${POSITIONS} (name, position) values ($1, $2) on conflict (name) do update set position = excluded.position`,
      [table.name, position],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function countOf(source: DatabaseSync, table: Table): number {
  return Number(source.prepare(`select count(*) as count ${sourceRows(table)}`).get()?.['count']);
}

/** @returns the first table that differs */
async function verify(source: DatabaseSync, client: pg.Client, tables: readonly Table[], options: CopyOptions): Promise<string | null> {
  for (const table of tables) {
    options.signal.throwIfAborted();
    const there = await sumOf(client, table);
    const here = sumHere(source, table);
    if (there.count !== here.count || there.first !== here.first || there.second !== here.second) return table.name;
    options.onProgress({ table: table.name, doing: 'verified', rows: here.count, total: here.count });
  }
  return null;
}

/** Halves of the SHA-256 of each row's values with their lengths, combined by exclusive or: the order does not matter. */
interface Sum {
  readonly count: number;
  readonly first: bigint;
  readonly second: bigint;
}

async function sumOf(client: pg.Client, table: Table): Promise<Sum> {
  const parts = table.columns
    .map(({ name }) => `coalesce(octet_length("${name}"::text)::text || ':' || "${name}"::text, '-')`)
    .join(` || ',' || `);
  const half = (from: number): string => `bit_xor(('x' || encode(substring(hash from ${from} for 8), 'hex'))::bit(64)::bigint)`;
  const { rows } = await client.query<{ count: string; first: string | null; second: string | null }>(
    `select count(*) as count, ${half(1)} as first, ${half(9)} as second
      from (select sha256(convert_to(${parts}, 'UTF8')) as hash from "${table.name}" where ${ROWS[table.name] ?? 'true'}) as hashes`,
  );
  return { count: Number(rows[0]?.count), first: BigInt(rows[0]?.first ?? 0), second: BigInt(rows[0]?.second ?? 0) };
}

function sumHere(source: DatabaseSync, table: Table): Sum {
  let count = 0;
  let first = 0n;
  let second = 0n;
  for (const { rows } of batchesOf(source, table, 0)) {
    for (const row of rows) {
      const text = row.map((value) => (value === null ? '-' : `${Buffer.byteLength(String(value))}:${String(value)}`)).join(',');
      const hash = createHash('sha256').update(text).digest();
      count += 1;
      first ^= hash.readBigInt64BE(0);
      second ^= hash.readBigInt64BE(8);
    }
  }
  return { count, first, second };
}

/** Sequences and indexes go with their tables; triggers find their function by its number. */
async function moveTables(client: pg.Client, home: string): Promise<void> {
  const target = `"${home.replaceAll('"', '""')}"`;
  await client.query('begin');
  try {
    await client.query(`drop table ${POSITIONS}`);
    const identities = await client.query<{ name: string; column: string }>(
      `select table_name as name, column_name as column from information_schema.columns
        where table_schema = '${SCHEMA}' and is_identity = 'YES'`,
    );
    for (const { name, column } of identities.rows)
      await client.query(
        `select setval(pg_get_serial_sequence('"${name}"', '${column}'), greatest((select max("${column}") from "${name}"), 1))`,
      );
    await client.query(`select setval('shared_event_ids', greatest((select value from counters where name = 'event_ids'), 1))`);
    const tables = await client.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = '${SCHEMA}'`);
    for (const { name } of tables.rows) await client.query(`alter table "${name}" set schema ${target}`);
    const sequences = await client.query<{ name: string }>(`select sequencename as name from pg_sequences where schemaname = '${SCHEMA}'`);
    for (const { name } of sequences.rows) await client.query(`alter sequence "${name}" set schema ${target}`);
    const functions = await client.query<{ name: string }>(
      `select oid::regprocedure::text as name from pg_proc where pronamespace = '${SCHEMA}'::regnamespace`,
    );
    for (const { name } of functions.rows) await client.query(`alter function ${name} set schema ${target}`);
    await client.query(`drop schema ${SCHEMA}`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (error instanceof pg.DatabaseError && error.code === '42P07')
      throw new Refusal(
        'A server has created its tables in this database meanwhile. Stop it, remove its tables, and run the command again: the copied rows are kept.',
      );
    throw error;
  }
  // Statistics for the planner, before the first list. They are optional.
  await client.query(`set search_path = ${target}`);
  await client.query('analyze').catch(() => undefined);
}

function explain(error: unknown, place: string): string {
  const known = toPostgresError(error, place);
  const why = known?.message ?? (error instanceof Error ? error.message : String(error));
  if (known !== null) return `${why} Nothing was moved. Run the command again to continue the copy.`;
  return `The copy into ${place} failed (${why}). Nothing was moved; run the command again to continue it.`;
}

function refuse(reason: string): CopyOutcome {
  return { ok: false, reason };
}
