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

/** Up to which call the letters of Chinese, Thai and similar scripts are not terms of the index: all that is indexed. */
export function searchLetters(db: QueryBuilder): readonly Compilable[] {
  const indexed = db
    .selectFrom('counters')
    .select([sql.lit('search_old').as('name'), 'value'])
    .where('name', '=', 'search_watermark');
  return [db.insertInto('counters').columns(['name', 'value']).expression(indexed)];
}

/** The parts of the index are merged in steps by the indexer (search-index.ts), not within a random commit. */
export function searchMerges(db: QueryBuilder): readonly Compilable[] {
  return [
    { compile: () => sql`insert into call_search (call_search, rank) values ('automerge', 0)`.compile(db) },
    { compile: () => sql`insert into call_search (call_search, rank) values ('crisismerge', 1024)`.compile(db) },
  ];
}

/**
 * FTS5 would rewrite a part of the index as soon as a tenth of its calls is removed, over and over while the oldest go, and reads one whose
 * calls are all gone in a single step, for seconds. What is removed goes when parts are merged anyway.
 */
export function searchRemovals(db: QueryBuilder): readonly Compilable[] {
  const never = sql`insert into call_search (call_search, rank) values ('deletemerge', 0)`;
  return [{ compile: () => never.compile(db) }];
}

/** The calls that repeat one. Most repeat none, and cost nothing here. */
export function replayIndex(db: QueryBuilder): readonly Compilable[] {
  const index = db.schema.createIndex('calls_by_replay_of').on('calls').columns(['replay_of', 'started_at', 'seq']);
  return [index.where(sql.ref('replay_of'), 'is not', null)];
}

/** Where calls were written first, before they were in files. */
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

/**
 * Calls are written into files first (call-journal.ts). Up to which of their records they are filed is told by the database, and so
 * is the key by which it knows its own. What an older version has left in its table is filed.
 */
export function callRecords(db: QueryBuilder): readonly Compilable[] {
  const key = sql`insert into counters (name, value) values ('call_records_filed', 0), ('call_records_key', abs(random() % 4294967296))`;
  const begun = ['seq', 'id', 'tool', 'extension', 'snapshot_version', 'source', 'actor', 'started_at', 'replay_of', 'redacted_json'];
  const ended = ['finished_at', 'duration_us', 'progress_json', 'result_json', 'error_json', 'logs_json'];
  const bits = ['logs_truncated', 'result_cut', 'error_cut', 'logs_cut'];
  const columns = [...begun, 'arguments_json', 'arguments_cut', 'revision', 'status', ...ended, ...bits];
  const values = [
    ...[...begun, 'arguments_json', 'arguments_cut'].map((name) => valueOf('b', name)),
    sql`case when e.n is null then ${valueOf('b', 'revision')} else ${valueOf('e', 'revision')} end`,
    sql`coalesce(${valueOf('e', 'status')}, 'running')`,
    ...ended.map((name) => valueOf('e', name)),
    ...bits.map((name) => sql`coalesce(${valueOf('e', name)}, 0)`),
  ];
  const calls = sql`insert into calls (${sql.join(columns.map((name) => sql.ref(name)))})
    select ${sql.join(values)} from call_journal b
    left join call_journal e on e.is_end = 1 and ${valueOf('e', 'id')} = ${valueOf('b', 'id')}
    where b.is_end = 0`;
  const payloads = sql`insert into call_payloads (call_id, result_json, error_json, logs_json)
    select entry_json ->> '$.payload.id', entry_json ->> '$.payload.result_json', entry_json ->> '$.payload.error_json',
      entry_json ->> '$.payload.logs_json'
    from call_journal where is_end = 1 and entry_json ->> '$.payload' is not null`;
  return [...[key, calls, payloads].map((statement) => ({ compile: () => statement.compile(db) })), db.schema.dropTable('call_journal')];
}

function valueOf(side: 'b' | 'e', name: string) {
  return sql`${sql.ref(`${side}.entry_json`)} ->> ${sql.lit(`$.row.${name}`)}`;
}
