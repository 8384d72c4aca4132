import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { IdempotencyRepository } from './store.ts';
import type { WriteQueue } from './write-queue.ts';
import type { Compilable } from 'kysely';
import { strict } from './strict-table.ts';

export function createIdempotencyRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): IdempotencyRepository {
  return {
    get(key, notBefore) {
      const query = db.selectFrom('idempotency_keys').selectAll().where('key', '=', key).where('created_at', '>=', notBefore);
      const row = connection.first(query.compile());
      return row === undefined ? null : { key, requestHash: row.request_hash, callId: row.call_id, createdAt: row.created_at };
    },

    put(row) {
      const columns = { request_hash: row.requestHash, call_id: row.callId, created_at: row.createdAt };
      const query = db
        .insertInto('idempotency_keys')
        .values({ key: row.key, ...columns })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
        .compile();
      // The call it refers to is waiting for the disk, and for earlier commits.
      return queue.run(() => void connection.run(query));
    },

    remove(key, callId) {
      const query = db.deleteFrom('idempotency_keys').where('key', '=', key).where('call_id', '=', callId).compile();
      return queue.run(() => void connection.run(query));
    },

    count() {
      const query = db.selectFrom('idempotency_keys').select((row) => row.fn.countAll<number>().as('count'));
      return connection.first(query.compile())?.count ?? 0;
    },

    oldest() {
      const query = db.selectFrom('idempotency_keys').select('created_at').orderBy('created_at').limit(1);
      return connection.first(query.compile())?.created_at ?? null;
    },

    sweep(before) {
      const query = db.deleteFrom('idempotency_keys').where('created_at', '<', before).compile();
      return queue.run(() => connection.run(query).changes);
    },
  };
}

/** The keys that identify repeated requests: one day of them, found by key, dropped by age. */
export function idempotencyTables(db: QueryBuilder): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('idempotency_keys')
        .addColumn('key', 'text', (c) => c.notNull().primaryKey())
        .addColumn('request_hash', 'text', (c) => c.notNull())
        .addColumn('call_id', 'text', (c) => c.notNull())
        .addColumn('created_at', 'integer', (c) => c.notNull()),
    ),
    db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').columns(['created_at']),
  ];
}
