import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import type { Db } from './database.ts';
import type { Dialect } from './dialect.ts';

/** Columns with an index, in the order of the list: (column, started_at, seq). */
const INDEXED = ['tool', 'extension', 'status', 'source', 'actor', 'error_kind', 'replay_of'] as const;
type Indexed = (typeof INDEXED)[number];

/**
 * The part of a filter that uses an index: one column, or the order by start when that is better or no column applies.
 */
export type Lead = Indexed | 'start';

const PROBED = 2_000;

/**
 * SQLite does not know that a tool has a million calls of which three failed, and may scan the million. So with two
 * filters, Switchboard checks which one finds few calls and lets it lead; the others are only compared. When all find
 * many and the filter has a duration or several statuses, the index by start leads, which contains both.
 */
export async function chooseLead(db: Db, filter: CallSelection): Promise<Lead> {
  const named = INDEXED.filter((column) => valueOf(filter, column) !== undefined);
  const isInStart = filter.min_ms !== undefined || filter.max_ms !== undefined || severalStatuses(filter).length > 0;
  const [only] = named;
  if (only === undefined) return 'start';
  if (named.length === 1 && !isInStart && filter.revision === undefined && filter.instance === undefined) return only;
  const counts = await Promise.all(named.map(async (column) => ({ column, count: await probe(db, filter, column) })));
  const fewest = counts.reduce((best, each) => (each.count < best.count ? each : best));
  return fewest.count >= PROBED && isInStart ? 'start' : fewest.column;
}

/** The required value of a column; several statuses have none. */
function valueOf(filter: CallSelection, column: Indexed): string | undefined {
  if (column !== 'status') return filter[column];
  return filter.status?.length === 1 ? filter.status[0] : undefined;
}

function severalStatuses({ status = [] }: CallSelection): readonly string[] {
  return status.length > 1 ? status : [];
}

async function probe(db: Db, filter: CallSelection, column: Indexed): Promise<number> {
  const found = db
    .selectFrom('calls')
    .select('seq')
    .where(sql<boolean>`${sql.ref(`calls.${column}`)} = ${valueOf(filter, column)}`)
    .where((eb) => eb.and(timeConditions(filter)))
    .limit(PROBED);
  const query = db.selectFrom(found.as('found')).select((eb) => eb.fn.countAll<number>().as('count'));
  return (await query.executeTakeFirst())?.count ?? 0;
}

/**
 * Every condition of the filter but `q`; conditions that do not lead are written so that SQLite uses no index for them.
 */
export function callConditions(dialect: Dialect, filter: CallSelection, lead: Lead): RawBuilder<boolean>[] {
  const equal = INDEXED.flatMap((column) => {
    const value = valueOf(filter, column);
    if (value === undefined) return [];
    const name = sql.ref(`calls.${column}`);
    return [column === lead ? sql<boolean>`${name} = ${value}` : sql<boolean>`${dialect.unindexed(`calls.${column}`)} = ${value}`];
  });
  const revision = filter.revision === undefined ? [] : [sql<boolean>`calls.revision = ${filter.revision}`];
  const instance = filter.instance === undefined ? [] : [sql<boolean>`calls.instance = ${filter.instance}`];
  const slow = filter.min_ms === undefined ? [] : [sql<boolean>`calls.duration_us >= ${Math.round(filter.min_ms * 1_000)}`];
  const quick = filter.max_ms === undefined ? [] : [sql<boolean>`calls.duration_us <= ${Math.round(filter.max_ms * 1_000)}`];
  const statuses = severalStatuses(filter);
  const oneOf = statuses.length === 0 ? [] : [sql<boolean>`${dialect.unindexed('calls.status')} in (${sql.join(statuses)})`];
  return [...equal, ...revision, ...instance, ...slow, ...quick, ...oneOf, ...timeConditions(filter)];
}

function timeConditions(filter: CallSelection): RawBuilder<boolean>[] {
  const since = filter.since === undefined ? [] : [sql<boolean>`calls.started_at >= ${Date.parse(filter.since)}`];
  const until = filter.until === undefined ? [] : [sql<boolean>`calls.started_at < ${Date.parse(filter.until)}`];
  return [...since, ...until];
}
