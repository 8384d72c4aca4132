import { sql } from 'kysely';
import type { CompiledQuery, RawBuilder } from 'kysely';
import type { CallFilter, CallSelection, CallSource, CallStatus } from '#lib/contract/call.ts';
import { callConditions, columnOf, FEW } from './call-conditions.ts';
import type { Indexed, Lead } from './call-conditions.ts';
import type { Db } from './database.ts';
import { type Dialect, SQLITE } from './dialect.ts';
import type { Bit } from './tables.ts';

/** The compiled queries of calls; a value called `id` below is the parameter name in a prepared statement. */

function named<Type>(name: string) {
  return sql<Type>`${name}`;
}

/** Fields known from the start of a call. */
function begun() {
  return {
    id: named<string>('id'),
    tool: named<string>('tool'),
    extension: named<string>('extension'),
    revision: named<number | null>('revision'),
    snapshot_version: named<number>('snapshot_version'),
    source: named<CallSource>('source'),
    actor: named<string | null>('actor'),
    started_at: named<number>('started_at'),
    replay_of: named<string | null>('replay_of'),
    instance: named<string>('instance'),
    redacted_json: named<string | null>('redacted_json'),
    arguments_json: named<string>('arguments_json'),
    arguments_cut: named<Bit>('arguments_cut'),
  };
}

/** Fields added at its end. */
function ended() {
  return {
    status: named<CallStatus>('status'),
    finished_at: named<number>('finished_at'),
    duration_us: named<number>('duration_us'),
    progress_json: named<string | null>('progress_json'),
    logs_truncated: named<Bit>('logs_truncated'),
    result_json: named<string | null>('result_json'),
    result_cut: named<Bit>('result_cut'),
    error_json: named<string | null>('error_json'),
    error_cut: named<Bit>('error_cut'),
    logs_json: named<string | null>('logs_json'),
    logs_cut: named<Bit>('logs_cut'),
  };
}

/** @throws for an id that exists */
export function insertRunningQuery(db: Db): CompiledQuery {
  return db
    .insertInto('calls')
    .values({
      ...begun(),
      status: sql.lit('running'),
      logs_truncated: sql.lit(0),
      result_cut: sql.lit(0),
      error_cut: sql.lit(0),
      logs_cut: sql.lit(0),
    })
    .compile();
}

export function finishQuery(db: Db): CompiledQuery {
  return db
    .updateTable('calls')
    .set({ revision: named('revision'), ...ended() })
    .where('id', '=', named<string>('id'))
    .where('status', '=', sql.lit('running'))
    .compile();
}

export function insertPayloadQuery(db: Db): CompiledQuery {
  return db
    .insertInto('call_payloads')
    .values({ call_id: named('id'), arguments_json: named('arguments_json') })
    .compile();
}

export function finishPayloadQuery(db: Db): CompiledQuery {
  return db
    .insertInto('call_payloads')
    .values({ call_id: named('id'), result_json: named('result_json'), error_json: named('error_json'), logs_json: named('logs_json') })
    .onConflict((conflict) =>
      conflict.column('call_id').doUpdateSet((eb) => ({
        result_json: eb.ref('excluded.result_json'),
        error_json: eb.ref('excluded.error_json'),
        logs_json: eb.ref('excluded.logs_json'),
      })),
    )
    .compile();
}

export function callQuery(db: Db, id: string) {
  return db.selectFrom('calls').selectAll().where('id', '=', id);
}

export function payloadQuery(db: Db, id: string) {
  return db.selectFrom('call_payloads').select(['arguments_json', 'result_json', 'error_json', 'logs_json']).where('call_id', '=', id);
}

/** End of the page before. */
export interface CallPosition {
  readonly startedAt: number;
  readonly seq: number;
}

/** Newest first by start, then arrival, through the index of `lead`. */
export function callPageQuery(
  db: Db,
  dialect: Dialect,
  filter: CallFilter,
  lead: Lead,
  after: CallPosition | null,
  intersected: readonly Indexed[] = [],
) {
  let query = db.selectFrom('calls').selectAll();
  for (const condition of [...callConditions(dialect, filter, lead, intersected), ...behind(after)]) query = query.where(condition);
  return query
    .orderBy('calls.started_at', 'desc')
    .orderBy('calls.seq', 'desc')
    .limit(filter.limit + 1);
}

/** PostgreSQL reads these rows completely, and finds the others by their marks. */
const FIRST_ON_POSTGRES = 500;

/** The same among the first calls of `lead`. */
export function firstCallPageQuery(db: Db, dialect: Dialect, filter: CallFilter, lead: Lead, after: CallPosition | null) {
  const { limit, since, until } = filter;
  const column = columnOf(lead);
  const ofLead = { ...(column === null ? {} : { [column]: filter[column] }), limit, since, until };
  let first = db.selectFrom('calls').selectAll();
  for (const condition of [...callConditions(dialect, ofLead, lead), ...behind(after)]) first = first.where(condition);
  const most = dialect.name === 'postgres' ? FIRST_ON_POSTGRES : FEW;
  let query = db.selectFrom(first.orderBy('calls.started_at', 'desc').orderBy('calls.seq', 'desc').limit(most).as('calls')).selectAll();
  for (const condition of callConditions(dialect, filter, lead)) query = query.where(condition);
  return query
    .orderBy('calls.started_at', 'desc')
    .orderBy('calls.seq', 'desc')
    .limit(limit + 1);
}

/** After a position in the order by start. */
export function behind(after: CallPosition | null): RawBuilder<boolean>[] {
  return after === null ? [] : [sql<boolean>`(calls.started_at, calls.seq) < (${after.startedAt}, ${after.seq})`];
}

/** Arrivals above the first and below the second. */
export interface SeqRange {
  readonly above: number;
  readonly below: number;
}

/**
 * Newest first by arrival, the order of the full-text index, so that no sort is needed. The cross join keeps the
 * full-text index outside: the other way round it would be queried once per call.
 */
export function foundCallPageQuery(db: Db, filter: CallSelection, match: string, range: SeqRange, most: number) {
  let query = db
    .selectFrom('call_search')
    .crossJoin('calls')
    .selectAll('calls')
    .whereRef('calls.seq', '=', 'call_search.rowid')
    .where('call_search.call_search', 'match', match)
    .where('call_search.rowid', '>', range.above)
    .where('call_search.rowid', '<', range.below);
  for (const condition of callConditions(SQLITE, filter, 'start')) query = query.where(condition);
  return query.orderBy('call_search.rowid', 'desc').limit(most);
}

/** The same, with arrivals only. */
export function foundSeqsQuery(db: Db, match: string, range: SeqRange, most: number) {
  return db
    .selectFrom('call_search')
    .select('rowid')
    .where('call_search', 'match', match)
    .where('rowid', '>', range.above)
    .where('rowid', '<', range.below)
    .orderBy('rowid', 'desc')
    .limit(most);
}

export function newestCallQuery(db: Db) {
  return db.selectFrom('calls').select('id').orderBy('seq', 'desc').limit(1);
}

const NEWEST = sql<number>`(select max(seq) from calls)`;

/**
 * The oldest calls beyond the newest `keepNewest`; never a running one, nor the newest, whose number a new one would
 * reuse.
 */
export function surplusCallsQuery(db: Db, dialect: Dialect, keepNewest: number, most: number) {
  return db
    .selectFrom('calls')
    .select('seq')
    .where(sql<boolean>`seq <= ${NEWEST} - ${Math.max(1, keepNewest)}`)
    .where(sql<boolean>`${dialect.unindexed('status')} <> 'running'`)
    .orderBy('seq')
    .limit(most);
}

/** The oldest calls that began before a time; with the same exceptions. */
export function agedCallsQuery(db: Db, dialect: Dialect, before: number, most: number) {
  return db
    .selectFrom('calls')
    .select('seq')
    .where('started_at', '<', before)
    .where(sql<boolean>`${dialect.unindexed('seq')} < ${NEWEST}`)
    .where(sql<boolean>`${dialect.unindexed('status')} <> 'running'`)
    .orderBy('started_at')
    .orderBy('seq')
    .limit(most);
}
