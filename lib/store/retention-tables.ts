import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/** By what the oldest rows are found, and the versions of one extension. */
export function retentionTables(db: QueryBuilder): readonly Compilable[] {
  const known = sql`insert into snapshot_extensions (extension, version)
    select distinct ids.value, version from snapshots, json_each(record_json, '$.changes') as kinds, json_each(kinds.value) as ids
    where kinds.key in ('added', 'changed', 'removed', 'failed', 'recovered')`;
  const settled = sql`create index channel_messages_by_age on channel_messages (created_at) where state in ('received', 'sent')`;
  return [
    strict(
      db.schema
        .createTable('snapshot_extensions')
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('version', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('snapshot_extensions_key', ['extension', 'version']),
    ),
    db.schema.createIndex('snapshot_extensions_by_version').on('snapshot_extensions').columns(['version']),
    { compile: () => known.compile(db) },
    db.schema.createIndex('failures_by_age').on('failures').columns(['last_seen']),
    { compile: () => settled.compile(db) },
  ];
}
