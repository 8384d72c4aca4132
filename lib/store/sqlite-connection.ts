import type { CompiledQuery } from 'kysely';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { toStorageError } from './storage-error.ts';

const STATEMENTS_KEPT = 300;

export type SqlValue = string | number | null;

export interface Written {
  readonly changes: number;
  readonly lastId: number;
}

/**
 * Runs compiled queries on one database and caches their prepared statements. Storage errors are thrown as
 * StorageError.
 */
export interface Connection {
  all<Row>(query: CompiledQuery<Row>): Row[];
  first<Row>(query: CompiledQuery<Row>): Row | undefined;
  run(query: CompiledQuery): Written;
  /** For hot paths: compiled once; its parameters are the *names* of the values of each run. */
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
  const statements = new Map<string, StatementSync>();
  const beginStatement = db.prepare('begin immediate');
  const commitStatement = db.prepare('commit');

  function guarded<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw toStorageError(error, folder) ?? error;
    }
  }

  function statementOf(text: string): StatementSync {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const made = db.prepare(text);
    if (statements.size >= STATEMENTS_KEPT) {
      const oldest = statements.keys().next();
      if (!oldest.done) statements.delete(oldest.value);
    }
    statements.set(text, made);
    return made;
  }

  function all<Row>(query: CompiledQuery<Row>): Row[] {
    return guarded(() => {
      const rows: unknown[] = statementOf(query.sql).all(...bind(query.parameters));
      // Kysely knows the columns of its compiled query, and STRICT tables hold no other types.
      return rows as Row[];
    });
  }

  return {
    all,
    first: (query) => all(query)[0],
    run: (query) => guarded(() => written(statementOf(query.sql).run(...bind(query.parameters)))),
    prepare(query) {
      const statement = db.prepare(query.sql);
      const names = query.parameters.map(String);
      return (values) => guarded(() => written(statement.run(...bindNames(names, values))));
    },
    prepareRows<Row>(query: CompiledQuery<Row>) {
      const statement = db.prepare(query.sql);
      const names = query.parameters.map(String);
      return (values: Readonly<Record<string, SqlValue>>, take: (row: Row) => boolean) =>
        guarded(() => {
          // As with `all`: Kysely knows the columns.
          for (const row of statement.iterate(...bindNames(names, values))) if (!take(row as Row)) break;
        });
    },
    begin: () => guarded(() => void beginStatement.run()),
    commit: () => guarded(() => void commitStatement.run()),
    rollback() {
      if (db.isTransaction) db.exec('rollback');
    },
    close: () => db.close(),
  };
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
