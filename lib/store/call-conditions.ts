import { type RawBuilder, sql } from 'kysely';
import type { CallSelection, CallStatus } from '#lib/contract/call.ts';
import type { Db } from './database.ts';
import type { Dialect } from './dialect.ts';

/** Columns with an index, in the order of the list: (column, started_at, seq). */
const INDEXED = ['tool', 'extension', 'status', 'source', 'actor', 'error_kind', 'replay_of', 'instance'] as const;
export type Indexed = (typeof INDEXED)[number];

/** Calls that ended without success are few, so an index of them by tool and one by extension cost little. */
const UNSUCCESSFUL = ['failed', 'timed_out', 'cancelled'] as const satisfies readonly CallStatus[];
/** The columns with such an index, by what a plan calls it. */
const OF_UNSUCCESSFUL = { unsuccessful_by_tool: 'tool', unsuccessful_by_extension: 'extension' } as const;

/**
 * The part of a filter that uses an index: one column, for all calls or for those without success, or the order by start
 * when that is better or no column applies.
 */
export type Lead = Indexed | keyof typeof OF_UNSUCCESSFUL | 'start';

/** Comparing so many calls takes a few milliseconds. */
export const FEW = 2_000;
/** So many entries of an index are read for each page. */
const INTERSECTED_MOST = 100_000;

export interface CallPlan {
  readonly lead: Lead;
  /** Further columns of the filter, when many calls match the lead: few of them may match these too. */
  readonly others: readonly Indexed[];
  /** Every call of the lead matches, or few do not. */
  readonly isNarrow: boolean;
}

/**
 * SQLite does not know that a tool has a million calls of which three failed, and may scan the million. So with two
 * filters, Switchboard checks which one finds few calls and lets it lead; the others are only compared. When all find
 * many and the filter has a duration or several statuses, the index by start leads, which contains both.
 */
export async function planCalls(db: Db, filter: CallSelection): Promise<CallPlan> {
  const named = INDEXED.filter((column) => valueOf(filter, column) !== undefined);
  const isInStart = filter.min_ms !== undefined || filter.max_ms !== undefined || severalStatuses(filter).length > 0;
  const [only] = named;
  const isPlain = !isInStart && filter.revision === undefined;
  if (only === undefined) return { lead: 'start', others: [], isNarrow: isPlain };
  if (named.length === 1 && isPlain) return { lead: only, others: [], isNarrow: true };
  const unsuccessful = leadOfUnsuccessful(filter, named);
  if (unsuccessful !== null) return { lead: unsuccessful, others: [], isNarrow: true };
  const counts = await Promise.all(named.map(async (column) => ({ column, count: await probe(db, filter, column, FEW) })));
  const { column: lead, count } = counts.reduce((best, each) => (each.count < best.count ? each : best));
  if (count < FEW) return { lead, others: [], isNarrow: true };
  const others = named.filter((column) => column !== lead);
  return isInStart ? { lead: 'start', others: [], isNarrow: false } : { lead, others, isNarrow: false };
}

/** For a filter by tool, or extension, and status alone, when no call with success matches. */
function leadOfUnsuccessful(filter: CallSelection, named: readonly Indexed[]): Lead | null {
  const { status = [], min_ms, max_ms, revision, tool, extension } = filter;
  const isOther = min_ms !== undefined || max_ms !== undefined || revision !== undefined;
  if (isOther || status.length === 0 || !status.every(isUnsuccessful)) return null;
  if (named.some((column) => column !== 'tool' && column !== 'extension' && column !== 'status')) return null;
  if (tool !== undefined) return 'unsuccessful_by_tool';
  return extension === undefined ? null : 'unsuccessful_by_extension';
}

function isPartial(lead: Lead): lead is keyof typeof OF_UNSUCCESSFUL {
  return lead in OF_UNSUCCESSFUL;
}

/** Null: no column leads. */
export function columnOf(lead: Lead): Indexed | null {
  if (lead === 'start') return null;
  return isPartial(lead) ? OF_UNSUCCESSFUL[lead] : lead;
}

function isUnsuccessful(status: CallStatus): boolean {
  return UNSUCCESSFUL.some((one) => one === status);
}

/**
 * The condition of the index on SQLite, which uses the index where it is part of the query. Not as a list of statuses: SQLite
 * would build a table of the list for each write of a call. PostgreSQL proves its condition from the statuses of the filter
 * when they are literals, and would expect too few rows with it.
 */
export function isUnsuccessfulCall(): RawBuilder<boolean> {
  return sql<boolean>`status <> 'running' and status <> 'succeeded'`;
}

/** Those whose calls can be read from their index, to compare only calls that have all values. */
export async function chooseIntersected(db: Db, filter: CallSelection, columns: readonly Indexed[]): Promise<readonly Indexed[]> {
  const counts = await Promise.all(columns.map((column) => probe(db, filter, column, INTERSECTED_MOST)));
  return columns.filter((_, at) => (counts[at] ?? INTERSECTED_MOST) < INTERSECTED_MOST);
}

/** The required value of a column; several statuses have none. */
function valueOf(filter: CallSelection, column: Indexed): string | undefined {
  if (column !== 'status') return filter[column];
  return filter.status?.length === 1 ? filter.status[0] : undefined;
}

function severalStatuses({ status = [] }: CallSelection): readonly string[] {
  return status.length > 1 ? status : [];
}

async function probe(db: Db, filter: CallSelection, column: Indexed, most: number): Promise<number> {
  const found = db
    .selectFrom('calls')
    .select('seq')
    .where(sql<boolean>`${sql.ref(`calls.${column}`)} = ${valueOf(filter, column)}`)
    .where((eb) => eb.and(timeConditions(filter)))
    .limit(most);
  const query = db.selectFrom(found.as('found')).select((eb) => eb.fn.countAll<number>().as('count'));
  return (await query.executeTakeFirst())?.count ?? 0;
}

/**
 * Every condition of the filter but `q`; conditions that do not lead are written so that SQLite uses no index for them, or
 * for `intersected` ones no index but their own.
 */
export function callConditions(
  dialect: Dialect,
  filter: CallSelection,
  lead: Lead,
  intersected: readonly Indexed[] = [],
): RawBuilder<boolean>[] {
  const times = timeConditions(filter);
  const leading = columnOf(lead);
  const statusOf = (status: string): RawBuilder<unknown> => (isPartial(lead) ? sql.lit(status) : sql`${status}`);
  const equal = INDEXED.flatMap((column) => {
    const value = valueOf(filter, column);
    if (value === undefined) return [];
    const name = sql.ref(`calls.${column}`);
    if (intersected.includes(column)) {
      const found = sql`select calls.seq from calls where ${sql.join([sql`${name} = ${value}`, ...times], sql` and `)}`;
      return [sql<boolean>`${dialect.unindexed('calls.seq')} in (${found})`];
    }
    if (column === 'status' && lead !== 'status') return [sql<boolean>`${dialect.unindexed('calls.status')} = ${statusOf(value)}`];
    return [column === leading ? sql<boolean>`${name} = ${value}` : sql<boolean>`${dialect.unindexed(`calls.${column}`)} = ${value}`];
  });
  const revision = filter.revision === undefined ? [] : [sql<boolean>`calls.revision = ${filter.revision}`];
  const slow = filter.min_ms === undefined ? [] : [sql<boolean>`calls.duration_us >= ${Math.round(filter.min_ms * 1_000)}`];
  const quick = filter.max_ms === undefined ? [] : [sql<boolean>`calls.duration_us <= ${Math.round(filter.max_ms * 1_000)}`];
  const statuses = severalStatuses(filter);
  const oneOf = statuses.length === 0 ? [] : [sql<boolean>`${dialect.unindexed('calls.status')} in (${sql.join(statuses.map(statusOf))})`];
  const ofIndex = isPartial(lead) && dialect.name === 'sqlite' ? [isUnsuccessfulCall()] : [];
  return [...ofIndex, ...equal, ...revision, ...slow, ...quick, ...oneOf, ...times];
}

function timeConditions(filter: CallSelection): RawBuilder<boolean>[] {
  const since = filter.since === undefined ? [] : [sql<boolean>`calls.started_at >= ${Date.parse(filter.since)}`];
  const until = filter.until === undefined ? [] : [sql<boolean>`calls.started_at < ${Date.parse(filter.until)}`];
  return [...since, ...until];
}
