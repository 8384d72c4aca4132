import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { IdempotencyRepository } from './store.ts';
import type { WriteQueue } from './write-queue.ts';

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
      return queue.run(() => void connection.run(query));
    },

    sweep(before, most) {
      const tooOld = db.deleteFrom('idempotency_keys').where('created_at', '<', before).compile();
      const newest = db.selectFrom('idempotency_keys').select('key').orderBy('created_at', 'desc').orderBy('key').limit(most);
      const tooMany = db.deleteFrom('idempotency_keys').where('key', 'not in', newest).compile();
      return queue.run(() => connection.run(tooOld).changes + connection.run(tooMany).changes);
    },
  };
}
