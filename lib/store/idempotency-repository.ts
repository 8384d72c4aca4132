import { changesOf, type Columns, countOf, type Database, type Db, fromColumns, toColumns } from './database.ts';
import type { IdempotencyRepository, IdempotencyRow } from './store.ts';
import type { Compilable } from 'kysely';
import { strictTable } from './dialect.ts';

export function createIdempotencyRepository(database: Database): IdempotencyRepository {
  const { read, statement } = database;
  return {
    async get(key) {
      const query = read.selectFrom('idempotency_keys').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      if (row === undefined) return null;
      return fromColumns(row);
    },

    put(row, replaces) {
      const { key, ...columns } = toColumns(row);
      return statement(async (db) => {
        const stored = await db
          .insertInto('idempotency_keys')
          .values({ key, ...columns })
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet(columns)
              // Its own: the statement is repeated after a lost connection.
              .where('idempotency_keys.call_id', 'in', [row.callId, replaces ?? '']),
          )
          .returning('key')
          .execute();
        return stored.length > 0;
      });
    },

    remove(key, callId) {
      return statement(async (db) => {
        const query = db.deleteFrom('idempotency_keys').where('key', '=', key).where('call_id', '=', callId);
        await query.execute();
      });
    },

    count: () => countOf(read.selectFrom('idempotency_keys')),

    async oldest() {
      const query = read.selectFrom('idempotency_keys').select('created_at').orderBy('created_at').limit(1);
      return (await query.executeTakeFirst())?.created_at ?? null;
    },

    sweep(before) {
      return statement(async (db) => {
        const query = db.deleteFrom('idempotency_keys').where('created_at', '<', before);
        return changesOf(await query.executeTakeFirst());
      });
    },
  };
}

export type IdempotencyKeysTable = Columns<IdempotencyRow>;

/** The keys that identify repeated requests: one day of them, found by key, dropped by age. */
export function idempotencyTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`idempotency_keys (key text primary key, request_hash text, call_id text, created_at integer)`,
    db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').columns(['created_at']),
  ];
}

export function idempotencyInstances(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('idempotency_keys').addColumn('instance', 'text')];
}
