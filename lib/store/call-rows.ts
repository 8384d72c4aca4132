import * as z from 'zod';
import {
  type Call,
  callErrorSchema,
  type CallLog,
  callLogSchema,
  callProgressSchema,
  type CallSource,
  type CallStatus,
} from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { isUnsuccessfulCall } from './call-conditions.ts';
import { cutError, cutLogs, cutText } from './cut-text.ts';
import type { SqlValue } from './sqlite/sqlite-connection.ts';
import type { CallEnd, RunningCallRow } from './store.ts';
import { sql } from 'kysely';
import type { Compilable, Generated, GeneratedAlways, RawBuilder, Selectable } from 'kysely';
import type { Db } from './database.ts';
import { type Dialect, strictTable } from './dialect.ts';
import type { Bit } from './tables.ts';

/** A list contains an error in full up to this many bytes. */
const LIST_ERROR_BYTES = 4 * LIMITS.listValueBytes;

const logsSchema = z.array(callLogSchema);
const pointersSchema = z.array(z.string());

export type Values = Readonly<Record<string, SqlValue>>;

/** The row of `calls`, and of `call_payloads` when a value was cut. */
export interface SplitRow {
  readonly row: Values;
  readonly payload: Values | null;
}

export function splitRunning(call: RunningCallRow): SplitRow {
  const args = cutText(call.argumentsText, LIMITS.listValueBytes);
  return {
    row: {
      id: call.id,
      tool: call.tool,
      extension: call.extension,
      revision: call.revision,
      snapshot_version: call.snapshotVersion,
      source: call.source,
      actor: call.actor,
      started_at: Date.parse(call.startedAt),
      replay_of: call.replayOf,
      instance: call.instance,
      redacted_json: call.redacted.length === 0 ? null : JSON.stringify(call.redacted),
      arguments_json: args.text,
      arguments_cut: args.cut ? 1 : 0,
    },
    payload: args.cut ? { id: call.id, arguments_json: call.argumentsText } : null,
  };
}

export function splitEnd(id: string, end: CallEnd): SplitRow {
  const result = end.resultText === null ? null : cutText(end.resultText, LIMITS.listValueBytes);
  const error = end.error === null ? null : cutError(end.error, LIST_ERROR_BYTES);
  const logs = cutLogs(end.logs, LIMITS.listValueBytes);
  const row = {
    id,
    revision: end.revision,
    status: end.status,
    finished_at: Date.parse(end.finishedAt),
    duration_us: Math.round(end.durationMs * 1_000),
    progress_json: end.progress === null ? null : JSON.stringify(end.progress),
    logs_truncated: end.logsTruncated ? 1 : 0,
    result_json: result === null ? null : result.text,
    result_cut: result?.cut ? 1 : 0,
    error_json: error === null ? null : JSON.stringify(error.error),
    error_cut: error?.cut ? 1 : 0,
    logs_json: logs.logs.length === 0 ? null : JSON.stringify(logs.logs),
    logs_cut: logs.cut ? 1 : 0,
  };
  const isComplete = row.result_cut === 0 && row.error_cut === 0 && row.logs_cut === 0;
  if (isComplete) return { row, payload: null };
  return {
    row,
    payload: {
      id,
      result_json: result?.cut ? end.resultText : null,
      error_json: error?.cut ? JSON.stringify(end.error) : null,
      logs_json: logs.cut ? JSON.stringify(end.logs) : null,
    },
  };
}

/** A call of a list: truncated values are marked. */
export function listedCall(row: CallsRow): Call {
  const isTruncated = row.arguments_cut === 1 || row.result_cut === 1 || row.error_cut === 1;
  const call: Call = {
    id: row.id,
    tool: row.tool,
    extension: row.extension,
    revision: row.revision,
    snapshot_version: row.snapshot_version,
    source: row.source,
    actor: row.actor,
    arguments: row.arguments_cut === 1 ? row.arguments_json : parseExactJson(row.arguments_json),
    redacted: row.redacted_json === null ? [] : pointersSchema.parse(JSON.parse(row.redacted_json)),
    status: row.status,
    result: row.result_json === null ? null : row.result_cut === 1 ? row.result_json : readResult(row.result_json),
    error: row.error_json === null ? null : callErrorSchema.parse(parseExactJson(row.error_json)),
    logs: parseLogs(row.logs_json),
    logs_truncated: row.logs_truncated === 1 || row.logs_cut === 1,
    progress: row.progress_json === null ? null : callProgressSchema.parse(JSON.parse(row.progress_json)),
    started_at: isoTime(row.started_at),
    finished_at: row.finished_at === null ? null : isoTime(row.finished_at),
    duration_ms: row.duration_us === null ? null : row.duration_us / 1_000,
    replay_of: row.replay_of,
    instance: row.instance,
  };
  return isTruncated ? { ...call, truncated: true } : call;
}

/** The complete call, with cut values restored. */
export function completeCall(row: CallsRow, payload: Omit<CallPayloadsTable, 'call_id'> | undefined): Call {
  const { truncated: _, ...call } = listedCall({
    ...row,
    arguments_json: payload?.arguments_json ?? row.arguments_json,
    arguments_cut: 0,
    result_json: payload?.result_json ?? row.result_json,
    result_cut: 0,
    error_json: payload?.error_json ?? row.error_json,
    error_cut: 0,
    logs_json: payload?.logs_json ?? row.logs_json,
    logs_cut: 0,
  });
  return call;
}

/** The end of a call whose server stopped. */
export function interruptedOn(instance: string | null) {
  const server = instance === null ? 'The server' : `The instance ${instance}`;
  return {
    kind: 'extension_crashed',
    message: `${server} stopped while this call ran, so its result is unknown. Its effects were not undone; retry it only if that is safe.`,
    data: { reason: 'server_stopped', ...(instance === null ? {} : { instance }) },
  } as const;
}

/** A process's result is stored without being parsed; a result that is not JSON is shown as text. */
function readResult(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch {
    return json;
  }
}

function parseLogs(json: string | null): CallLog[] {
  return json === null ? [] : logsSchema.parse(parseExactJson(json));
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * Queries besides single filters: kinds of errors, and counts and durations over time, answered by the index by start
 * without reading the calls.
 */
export function callHistory(db: Db, on: Dialect['name']): readonly Compilable[] {
  const errorKind =
    on === 'sqlite'
      ? sql`alter table calls add column error_kind text generated always as (error_json ->> '$.kind') virtual`
      : sql`alter table calls add column error_kind text collate "C"
          generated always as (substring(error_json from '^\\{"kind":"(\\w+)"')) stored`;
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

/** The last call without marks in the full-text index; in an older database, all indexed calls. */
export function searchMarks(db: Db): readonly Compilable[] {
  const indexed = db
    .selectFrom('counters')
    .select([sql.lit('search_unmarked').as('name'), 'value'])
    .where('name', '=', 'search_watermark');
  return [db.insertInto('counters').columns(['name', 'value']).expression(indexed)];
}

/**
 * The last call whose letters of Chinese, Thai and similar scripts are not terms of the index; at first, all indexed
 * calls.
 */
export function searchLetters(db: Db): readonly Compilable[] {
  const indexed = db
    .selectFrom('counters')
    .select([sql.lit('search_old').as('name'), 'value'])
    .where('name', '=', 'search_watermark');
  return [db.insertInto('counters').columns(['name', 'value']).expression(indexed)];
}

/** The indexer merges the index in steps (search-index.ts), not within an arbitrary commit. */
export function searchMerges(db: Db): readonly Compilable[] {
  return [
    { compile: () => sql`insert into call_search (call_search, rank) values ('automerge', 0)`.compile(db) },
    { compile: () => sql`insert into call_search (call_search, rank) values ('crisismerge', 1024)`.compile(db) },
  ];
}

/**
 * FTS5 would rewrite a segment once a tenth of its calls is removed, repeatedly during retention, and reads a segment
 * whose calls are all removed in one step of seconds. Removed calls leave the index when segments merge.
 */
export function searchRemovals(db: Db): readonly Compilable[] {
  const never = sql`insert into call_search (call_search, rank) values ('deletemerge', 0)`;
  return [{ compile: () => never.compile(db) }];
}

/** Calls that repeat another call. Most do not and add no entry. */
export function replayIndex(db: Db): readonly Compilable[] {
  const index = db.schema.createIndex('calls_by_replay_of').on('calls').columns(['replay_of', 'started_at', 'seq']);
  return [index.where(sql.ref('replay_of'), 'is not', null)];
}

/** The former first table of calls, before journal files. */
export function callJournal(db: Db): readonly Compilable[] {
  return [strictTable(db)`call_journal (n integer primary key, is_end integer, entry_json text)`];
}

/**
 * Calls are written to files first (call-journal.ts). The database stores the last record moved to a table, and the key
 * that identifies its files. Rows that an older version left in its table are moved.
 */
export function callRecords(db: Db): readonly Compilable[] {
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

export interface CallsTable {
  /** Order of arrival; the tie-break among calls of one millisecond, and the key of the search index. */
  seq: Generated<number>;
  id: string;
  tool: string;
  extension: string;
  revision: number | null;
  snapshot_version: number;
  source: CallSource;
  actor: string | null;
  status: CallStatus;
  started_at: number;
  finished_at: number | null;
  duration_us: number | null;
  replay_of: string | null;
  /** The server that ran it; null for calls of older versions. */
  instance: string | null;
  redacted_json: string | null;
  progress_json: string | null;
  logs_truncated: Bit;
  /** The value in lists: at most LIMITS.listValueBytes; the full value is in call_payloads when `*_cut` is 1. */
  arguments_json: string;
  arguments_cut: Bit;
  result_json: string | null;
  result_cut: Bit;
  error_json: string | null;
  error_cut: Bit;
  /** Extracted from `error_json` by the database. */
  error_kind: GeneratedAlways<string | null>;
  logs_json: string | null;
  logs_cut: Bit;
}

export type CallsRow = Selectable<CallsTable>;

/**
 * The full values that were cut in `calls`, so that lists never read large values. A column is null when its value was
 * not cut.
 */
export interface CallPayloadsTable {
  call_id: string;
  arguments_json: string | null;
  result_json: string | null;
  error_json: string | null;
  logs_json: string | null;
}

/**
 * FTS5, contentless: words only. `rowid` is `calls.seq`; the column named like the table is what MATCH and rank use.
 */
export interface CallSearchTable {
  rowid: number;
  text: string;
  call_search: string;
}

export function callTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`calls (seq integer primary key, id text unique, tool text, extension text, revision integer?,
      snapshot_version integer, source text, actor text?, status text, started_at integer, finished_at integer?, duration_us integer?,
      replay_of text?, redacted_json text?, progress_json text?, logs_truncated integer default 0, arguments_json text,
      arguments_cut integer default 0, result_json text?, result_cut integer default 0, error_json text?, error_cut integer default 0,
      logs_json text?, logs_cut integer default 0)`,
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq']),
    db.schema.createIndex('calls_by_tool').on('calls').columns(['tool', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_extension').on('calls').columns(['extension', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_status').on('calls').columns(['status', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_source').on('calls').columns(['source', 'started_at', 'seq']),
    db.schema.createIndex('calls_by_actor').on('calls').columns(['actor', 'started_at', 'seq']).where(sql.ref('actor'), 'is not', null),
    strictTable(db)`call_payloads (call_id text primary key references calls.id cascade, arguments_json text?, result_json text?,
      error_json text?, logs_json text?)`,
  ];
}

export function callSearch(db: Db): readonly Compilable[] {
  const table = sql`create virtual table call_search using fts5(text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3')`;
  return [{ compile: () => table.compile(db) }];
}

export function callInstances(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('calls').addColumn('instance', 'text')];
}

export function callsByInstance(db: Db): readonly Compilable[] {
  const index = db.schema.createIndex('calls_by_instance').on('calls').columns(['instance', 'started_at', 'seq']);
  return [index.where(sql.ref('instance'), 'is not', null)];
}

export function unsuccessfulCalls(db: Db): readonly Compilable[] {
  return unsuccessfulIndexes(db, sql<boolean>`status in ('failed', 'timed_out', 'cancelled')`);
}

/** SQLite evaluates a list of values again for each write of a call. */
export function unsuccessfulCallsWithoutList(db: Db): readonly Compilable[] {
  const dropped = UNSUCCESSFUL_BY.map((column) => db.schema.dropIndex(`calls_unsuccessful_by_${column}`));
  return [...dropped, ...unsuccessfulIndexes(db, isUnsuccessfulCall())];
}

const UNSUCCESSFUL_BY = ['tool', 'extension'] as const;

function unsuccessfulIndexes(db: Db, condition: RawBuilder<boolean>): readonly Compilable[] {
  return UNSUCCESSFUL_BY.map((column) =>
    db.schema.createIndex(`calls_unsuccessful_by_${column}`).on('calls').columns([column, 'started_at', 'seq']).where(condition),
  );
}
