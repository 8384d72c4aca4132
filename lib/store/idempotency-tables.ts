import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/** The keys by which a repeated request is known: a day's worth, found by key, dropped by age. */
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
