import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/**
 * What the history is asked for beside single filters: kinds of errors, and counts and durations over time, which the index by
 * start answers without reading the calls themselves.
 */
export function callHistory(db: QueryBuilder): readonly Compilable[] {
  const errorKind = sql`alter table calls add column error_kind text generated always as (error_json ->> '$.kind') virtual`;
  return [
    { compile: () => errorKind.compile(db) },
    db.schema.dropIndex('calls_by_start'),
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq', 'status', 'duration_us']),
    db.schema
      .createIndex('calls_by_error_kind')
      .on('calls')
      .columns(['error_kind', 'started_at', 'seq'])
      .where(sql.ref('error_kind'), 'is not', null),
  ];
}

/** Up to which call the index of words has no marks, which filters are answered by: on a database of before, all that is indexed. */
export function searchMarks(db: QueryBuilder): readonly Compilable[] {
  const indexed = db
    .selectFrom('counters')
    .select([sql.lit('search_unmarked').as('name'), 'value'])
    .where('name', '=', 'search_watermark');
  return [db.insertInto('counters').columns(['name', 'value']).expression(indexed)];
}

/** The calls that repeat one. Most repeat none, and cost nothing here. */
export function replayIndex(db: QueryBuilder): readonly Compilable[] {
  const index = db.schema.createIndex('calls_by_replay_of').on('calls').columns(['replay_of', 'started_at', 'seq']);
  return [index.where(sql.ref('replay_of'), 'is not', null)];
}

/** Where calls are written first (call-journal.ts). */
export function callJournal(db: QueryBuilder): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('call_journal')
        .addColumn('n', 'integer', (c) => c.primaryKey())
        .addColumn('is_end', 'integer', (c) => c.notNull())
        .addColumn('entry_json', 'text', (c) => c.notNull()),
    ),
  ];
}
