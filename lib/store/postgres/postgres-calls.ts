import { callQuery } from '../call-queries.ts';
import type { Values } from '../call-rows.ts';
import type { CallSearch } from '../call-search.ts';
import type { SqlValue } from '../sqlite/sqlite-connection.ts';
import { storageError } from '../storage-error.ts';
import type { CallWriter } from '../database.ts';
import { createWriteBatches } from './write-batches.ts';
import type { WriteBatches } from './write-batches.ts';
import type { Pool } from './postgres-pool.ts';

/** Columns of `calls` with their types; the last ones are of `call_payloads`. */
const BEGUN = {
  id: 'text',
  tool: 'text',
  extension: 'text',
  revision: 'bigint',
  snapshot_version: 'bigint',
  source: 'text',
  actor: 'text',
  started_at: 'bigint',
  replay_of: 'text',
  instance: 'text',
  redacted_json: 'text',
  arguments_json: 'text',
  arguments_cut: 'bigint',
} as const;
const ENDED = {
  id: 'text',
  revision: 'bigint',
  status: 'text',
  finished_at: 'bigint',
  duration_us: 'bigint',
  progress_json: 'text',
  logs_truncated: 'bigint',
  result_json: 'text',
  result_cut: 'bigint',
  error_json: 'text',
  error_cut: 'bigint',
  logs_json: 'text',
  logs_cut: 'bigint',
} as const;
const PAYLOAD_OF_END = ['result_json', 'error_json', 'logs_json'] as const;

interface Row {
  readonly row: Values;
  readonly payload: Values | null;
}

/**
 * Begins and ends of calls: the writes of one turn of the event loop are one statement, and so one commit. Repeating
 * either changes nothing, so a lost connection is answered by trying again.
 */
export function createPostgresCalls(pool: Pool, search: CallSearch, guard: Guard): CallWriter & { settled(): Promise<void> } {
  const begun = batches(1, guard, async (rows, tries) => {
    const values = [...columnsOf(rows, Object.keys(BEGUN)), rows.map(({ payload }) => payload?.['arguments_json'] ?? null)];
    const found = await pool.query<{ id: string }>('calls_begun', BEGIN_SQL, values);
    const ids = new Set(found.map(({ id }) => id));
    const missing = rows.map(({ row }) => String(row['id'])).filter((id) => !ids.has(id));
    if (missing.length > 0) {
      await refuseCutOff(rows[0]?.row['instance'] ?? null);
      // After a lost connection they may exist already.
      if (tries > 1) for (const { id } of await storedOf(missing)) ids.add(id);
    }
    return rows.map(({ row }) => ids.has(String(row['id'])));
  });
  // A second group is sent while the first one waits for the disk.
  const ended = batches(2, guard, async (given) => {
    const firsts = new Map(given.toReversed().map((one) => [one.row['id'], one]));
    const rows = [...firsts.values()];
    const payloads = PAYLOAD_OF_END.map((column) => rows.map(({ payload }) => payload?.[column] ?? null));
    const hasPayload = rows.map(({ payload }) => payload !== null);
    const found = await pool.query<{ id: string }>('calls_ended', END_SQL, [
      ...columnsOf(rows, Object.keys(ENDED)),
      hasPayload,
      ...payloads,
    ]);
    const ids = new Set(found.map(({ id }) => id));
    // A second end of one call in a group is not written; it is right only if it is the same.
    return given.map((one) => ids.has(String(one.row['id'])) && firsts.get(one.row['id']) === one);
  });

  return {
    async settled() {
      await Promise.all([begun.settled(), ended.settled()]);
    },
    async insertRunning(call) {
      if (!(await begun.add(call))) throw new Error(`There is a call ${String(call.row['id'])} already.`);
      search.noteInserted();
    },
    async finish(end) {
      const id = String(end.row['id']);
      if (!(await ended.add(end))) await refuseUnlessStored(id, end.row);
      search.noteFinished(id);
    },
  };

  function storedOf(ids: readonly string[]): Promise<{ readonly id: string }[]> {
    return pool.db.selectFrom('calls').select('id').where('id', 'in', ids).execute();
  }

  /** Other servers have ended the calls of this one, so they would end these too. */
  async function refuseCutOff(instance: SqlValue): Promise<void> {
    const row = await pool.db.selectFrom('instances').select('state').where('id', '=', String(instance)).executeTakeFirst();
    if (row?.state === 'gone')
      throw storageError('storage_unavailable', 'This server was cut off from the database for too long. It joins again in a few seconds');
  }

  async function refuseUnlessStored(id: string, end: Values): Promise<void> {
    const row = await callQuery(pool.db, id).executeTakeFirst();
    const isKept = row !== undefined && Object.entries(row).every(([column, value]) => !(column in end) || end[column] === value);
    if (!isKept) throw new Error(`Call ${id} is not running, so it cannot be finished.`);
  }
}

/** Repeats a write while the connection is lost, for a limited time. */
export type Guard = <Value>(work: (tries: number) => Promise<Value>) => Promise<Value>;

function batches(
  atOnce: number,
  guard: Guard,
  write: (rows: readonly Row[], tries: number) => Promise<readonly boolean[]>,
): WriteBatches<Row, boolean> {
  return createWriteBatches(atOnce, sizeOf, (rows) => guard((tries) => write(rows, tries)));
}

/** Columns that lists do not read; the others are short. */
function sizeOf({ payload }: Row): number {
  return Object.values(payload ?? {}).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

function columnsOf(rows: readonly Row[], names: readonly string[]): unknown[][] {
  return names.map((name) => rows.map(({ row }) => row[name] ?? null));
}

function unnest(columns: Readonly<Record<string, string>>, more: Readonly<Record<string, string>>): string {
  const all = { ...columns, ...more };
  const parameters = Object.values(all).map((type, at) => `$${at + 1}::${type}[]`);
  return `unnest(${parameters.join(', ')}) with ordinality as given(${Object.keys(all).join(', ')}, place)`;
}

const BEGUN_NAMES = Object.keys(BEGUN).join(', ');
const BEGIN_SQL = `
  with given as (select * from ${unnest(BEGUN, { payload: 'text' })}),
  begun as (
    insert into calls (${BEGUN_NAMES}, status, logs_truncated, result_cut, error_cut, logs_cut)
    select ${BEGUN_NAMES}, 'running', 0, 0, 0, 0 from given
    where not exists (select 1 from instances where instances.id = given.instance and instances.state = 'gone')
    order by place
    on conflict (id) do nothing returning id),
  payloads as (
    insert into call_payloads (call_id, arguments_json)
    select given.id, payload from given join begun on begun.id = given.id where payload is not null)
  select id from begun`;

const CHANGED = Object.keys(ENDED).filter((name) => name !== 'id');
const END_SQL = `
  with given as (select * from ${unnest(ENDED, { has_payload: 'boolean', ...Object.fromEntries(PAYLOAD_OF_END.map((name) => [`whole_${name}`, 'text'])) })}),
  ended as (
    update calls set ${CHANGED.map((name) => `${name} = given.${name}`).join(', ')}
    from given where calls.id = given.id and calls.status = 'running' returning calls.id),
  payloads as (
    insert into call_payloads (call_id, ${PAYLOAD_OF_END.join(', ')})
    select given.id, ${PAYLOAD_OF_END.map((name) => `whole_${name}`).join(', ')}
    from given join ended on ended.id = given.id where has_payload
    on conflict (call_id) do update set ${PAYLOAD_OF_END.map((name) => `${name} = excluded.${name}`).join(', ')})
  select id from ended`;
