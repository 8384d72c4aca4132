import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { SharedStore } from './instance-store.ts';
import type { CallSearch } from './search-words.ts';
import type { SplitRow } from './call-rows.ts';
import type { Dialect } from './dialect.ts';
import type { StorageHealth } from './store.ts';
import type { Tables } from './tables.ts';

/** Kysely on the store's tables: a connection that reads, or one within a transaction. */
export type Db = Kysely<Tables>;

export interface WriteOptions {
  /** Called after the commit, before its caller continues. */
  onCommitted?(): void;
  /** The start of something that needs more space to finish: refused while the disk is nearly full. */
  readonly needsSpace?: boolean;
}

/** The begin and the end of calls: the writes that come with every call share commits. */
export interface CallWriter {
  insertRunning(call: SplitRow): Promise<void>;
  /** Repeating the stored end does nothing: a caller without an answer sends it again. Rejects when there is no such running call. */
  finish(end: SplitRow): Promise<void>;
}

/** One database, SQLite or PostgreSQL. Errors of storage are thrown as StorageError. */
export interface Database {
  readonly dialect: Dialect;
  /** Reads; each query sees what is committed. */
  readonly read: Db;
  /**
   * One transaction, committed when the promise resolves. `work` uses only the connection it is given, waits for
   * nothing else, and may run more than once, of which the last counts: it must change nothing but the database.
   */
  readonly write: <Value>(work: (db: Db) => Promise<Value>, options?: WriteOptions) => Promise<Value>;
  /** One statement with its own commit, which waits for no other write and may run more than once. */
  readonly statement: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>;
  readonly writer: CallWriter;
  readonly search: CallSearch;
  /** Null: no other server uses this database. */
  readonly shared: SharedStore | null;
  health(): StorageHealth;
  /** Accepts no more writes, and waits for the running ones. */
  close(): Promise<void>;
}

/** The number of rows that a statement changed. */
export function changesOf(result: { readonly numUpdatedRows: bigint } | { readonly numDeletedRows: bigint }): number {
  return Number('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows);
}

/** The number of rows that a query finds. */
export async function countOf<Tables, Names extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Names, Record<never, never>>,
): Promise<number> {
  const counted = query.select((eb) => eb.fn.countAll<number>().as('count')).$castTo<{ readonly count: number }>();
  return (await counted.executeTakeFirst())?.count ?? 0;
}

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** The columns of a row whose names differ only in their case. */
export type Columns<Row> = { -readonly [Name in keyof Row as Snake<Name & string>]: Row[Name] };

export function toColumns<Row extends object>(row: Row): Columns<Row> {
  return renamed(row, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as Columns<Row>;
}

export function fromColumns<Row extends object>(columns: Columns<Row>): Row {
  return renamed(columns, (name) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())) as Row;
}

function renamed(row: object, rename: (name: string) => string): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]: [string, unknown]) => [rename(name), value]));
}
