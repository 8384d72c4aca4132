import { type CompiledQuery, Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Db } from '../database.ts';
import { toStorageError } from '../storage-error.ts';

const STATEMENTS_KEPT = 300;

export type SqlValue = string | number | null;

export interface Written {
  readonly changes: number;
  readonly lastId: number;
}

/**
 * One SQLite connection, with its prepared statements. Storage errors are thrown as StorageError. Ids of rows are read
 * as BigInt, because FTS5 sets one that is too large for a number.
 */
export interface Connection {
  /** For Kysely's queries. */
  readonly db: Db;
  /** Compiled once; the parameters are the *names* of the values of each run. Runs at once. */
  prepare(query: CompiledQuery): (values: Readonly<Record<string, SqlValue>>) => Written;
  /** The same for rows, which are read one by one until `take` has enough. */
  prepareRows<Row>(query: CompiledQuery<Row>): (values: Readonly<Record<string, SqlValue>>, take: (row: Row) => boolean) => void;
  begin(): void;
  commit(): void;
  /** Does nothing when SQLite has already rolled back. */
  rollback(): void;
  close(): void;
}

export function createConnection(db: DatabaseSync, folder: string): Connection {
  const statements = new Map<string, SqliteStatement>();
  const begin = prepared('begin immediate');
  const commit = prepared('commit');

  function guarded<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw toStorageError(error, folder) ?? error;
    }
  }

  function statementOf(text: string): SqliteStatement {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const made = toStatement(guarded(() => db.prepare(text)));
    if (statements.size >= STATEMENTS_KEPT) {
      const oldest = statements.keys().next();
      if (!oldest.done) statements.delete(oldest.value);
    }
    statements.set(text, made);
    return made;
  }

  /** For running; every run gives the id of the last row. */
  function prepared(text: string): StatementSync {
    const statement = db.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  }

  function toStatement(statement: StatementSync): SqliteStatement {
    const reader = statement.columns().length > 0;
    if (!reader) statement.setReadBigInts(true);
    return {
      reader,
      all: (parameters) => guarded(() => statement.all(...bind(parameters))),
      run: (parameters) => guarded(() => statement.run(...bind(parameters))),
      iterate() {
        throw new Error('Rows are not streamed.');
      },
    };
  }

  const database: SqliteDatabase = { prepare: statementOf, close: () => db.close() };

  return {
    db: new Kysely({ dialect: new SynchronousDialect({ database }) }),
    prepare(query) {
      const statement = prepared(query.sql);
      const names = query.parameters.map(String);
      return (values) => guarded(() => written(statement.run(...bindNames(names, values))));
    },
    prepareRows<Row>(query: CompiledQuery<Row>) {
      const statement = db.prepare(query.sql);
      const names = query.parameters.map(String);
      return (values: Readonly<Record<string, SqlValue>>, take: (row: Row) => boolean) =>
        guarded(() => {
          // Kysely knows the columns of its compiled query, and STRICT tables hold no other types.
          for (const row of statement.iterate(...bindNames(names, values))) if (!take(row as Row)) break;
        });
    },
    begin: () => guarded(() => void begin.run()),
    commit: () => guarded(() => void commit.run()),
    rollback() {
      if (db.isTransaction) db.exec('rollback');
    },
    close: () => db.close(),
  };
}

/**
 * Each query runs in one step, so none has to wait for the connection. Kysely lets them wait in a way that wakes all of them for
 * each query: 0.15 s of a start with a thousand extensions.
 */
class SynchronousDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new SynchronousAdapter();
  }
}

class SynchronousAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function written(result: { changes: number | bigint; lastInsertRowid: number | bigint }): Written {
  return { changes: Number(result.changes), lastId: Number(result.lastInsertRowid) };
}

function bind(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number') return value;
    throw new TypeError(`a value of type ${typeof value} cannot be stored`);
  });
}

function bindNames(names: readonly string[], values: Readonly<Record<string, SqlValue>>): SqlValue[] {
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`no value is given for ${name}`);
    return value;
  });
}
