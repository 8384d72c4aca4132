import { type Compilable, type RawBuilder, sql } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import type { CallPosition } from '../call-queries.ts';
import type { CallsRow } from '../call-rows.ts';
import type { Db } from '../database.ts';
import { POSTGRES } from '../dialect.ts';
import { BLOCK_CALLS, blockOf, FORMAT_TERM, queryIn } from './call-terms.ts';

/**
 * Blocks of calls (call-terms.ts) with the times in which their calls began, so that a search reads only blocks of its
 * time. What can go wrong:
 * - clocks differ, so a later block has earlier calls: calls ordered by start are read in spans of time, each from all
 *   blocks that reach into it;
 * - the planner estimates every word as common, and would scan all calls: OFFSET 0 prevents that.
 */

/** PostgreSQL only: the earliest and latest start of the calls in a block, whether they are removed or not. */
export interface CallBlocksTable {
  block: number;
  oldest_start: number;
  newest_start: number;
}

/** A query for terms, and the span of time of its calls. */
interface Part {
  readonly query: string;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly upTo: number;
}

const ANY_TIME = { after: Number.MIN_SAFE_INTEGER, upTo: Number.MAX_SAFE_INTEGER };

export function anyTime(query: string): readonly Part[] {
  return [{ query, ...ANY_TIME }];
}

/** The newest arrivals first. */
export async function partsByArrival(db: Db, query: string, filter: CallSelection, below: number | null): Promise<readonly Part[]> {
  const blocks = await blocksWithin(db, filter, below);
  return blocks.map(({ block }) => ({ query: queryIn([block], query), ...ANY_TIME }));
}

/** The newest starts first. */
export async function partsByStart(db: Db, query: string, filter: CallSelection, after: CallPosition | null): Promise<readonly Part[]> {
  const last = after?.startedAt ?? Number.MAX_SAFE_INTEGER;
  const blocks = (await blocksWithin(db, filter, null))
    .filter(({ oldest_start: oldest }) => oldest <= last)
    .toSorted((one, other) => other.newest_start - one.newest_start);
  return blocks.map(({ newest_start: upTo }, at) => ({
    query: queryIn(
      blocks.slice(0, at + 1).flatMap(({ block, oldest_start: oldest }) => (oldest <= upTo ? [block] : [])),
      query,
    ),
    after: blocks[at + 1]?.newest_start ?? ANY_TIME.after,
    upTo,
  }));
}

function blocksWithin(db: Db, { since, until }: CallSelection, below: number | null): Promise<CallBlocksTable[]> {
  let blocks = db.selectFrom('call_blocks').selectAll().orderBy('block', 'desc');
  if (since !== undefined) blocks = blocks.where('newest_start', '>=', Date.parse(since));
  if (until !== undefined) blocks = blocks.where('oldest_start', '<', Date.parse(until));
  if (below !== null) blocks = blocks.where('block', '<=', blockOf(below - 1));
  return blocks.execute();
}

export interface Wanted {
  readonly parts: readonly Part[];
  readonly order: 'arrival' | 'start';
  readonly conditions: readonly RawBuilder<boolean>[];
  readonly most: number;
}

/** Calls with these terms, of one part after the other until there are enough. */
export async function callsIn<Row extends Pick<CallsRow, 'seq' | 'started_at'>>(
  db: Db,
  columns: RawBuilder<Row>,
  { parts, order, conditions, most }: Wanted,
): Promise<Row[]> {
  if (parts.length === 0) return [];
  const sorted = order === 'arrival' ? sql`matching.seq desc` : sql`calls.started_at desc, calls.seq desc`;
  const limits = sql`calls.started_at > parts.after and calls.started_at <= parts.up_to`;
  const { rows } = await sql<Row>`
    select ${columns} from unnest(
      ${parts.map(({ query }) => query)}::text[], ${parts.map(({ after }) => after)}::bigint[], ${parts.map(({ upTo }) => upTo)}::bigint[]
    ) as parts(query, after, up_to)
    cross join lateral (
      select calls.* from (
        select seq from (select seq from call_words where words @@ parts.query::tsquery offset 0) as found order by seq desc
      ) as matching
      cross join lateral (select * from calls where calls.seq = matching.seq offset 0) as calls
      where ${sql.join([limits, ...conditions], sql` and `)}
      order by ${sorted} limit ${most}
    ) as calls
    limit ${most}`.execute(db);
  return rows.toSorted((one, other) => (order === 'start' ? other.started_at - one.started_at : 0) || other.seq - one.seq);
}

/** Within the transaction that stores their terms. */
export async function noteBlocks(db: Db, seqs: readonly number[]): Promise<void> {
  await sql`insert into call_blocks (block, oldest_start, newest_start)
    select seq / ${sql.lit(BLOCK_CALLS)}, min(started_at), max(started_at) from calls where seq in ${POSTGRES.numbers(seqs)} group by 1
    on conflict (block) do update set
      oldest_start = least(call_blocks.oldest_start, excluded.oldest_start),
      newest_start = greatest(call_blocks.newest_start, excluded.newest_start)`.execute(db);
}

/** A query reads the list of terms that PostgreSQL has not yet put into the index, for each block. */
export async function emptyPendingTerms(db: Db): Promise<void> {
  await sql`select gin_clean_pending_list('call_words_by_word')`.execute(db);
}

/** Within the transaction that removes these calls: blocks without calls. */
export async function removeBlocks(db: Db, seqs: readonly number[]): Promise<void> {
  await sql`delete from call_blocks where block < ${blockOf(Math.max(...seqs))}
    and not exists (select 1 from calls where seq >= block * ${sql.lit(BLOCK_CALLS)} and seq < (block + 1) * ${sql.lit(BLOCK_CALLS)})`.execute(
    db,
  );
}

/** Whether there are calls with the terms of an older version. */
export async function hasOldCalls(db: Db): Promise<boolean> {
  // Without an order the planner might read all calls.
  return (await sql`select seq from call_words where ${isOld} order by seq desc limit 1`.execute(db)).rows.length > 0;
}

/** The planner uses the index for exactly this condition. */
export const isOld = sql<boolean>`not (words @@ ${sql.lit(`'${FORMAT_TERM}'`)}::tsquery)`;

/** Calls that an older version indexed are found by an index of their own, which becomes empty. */
export function callBlocks(db: Db): readonly Compilable[] {
  return [
    db.schema
      .createTable('call_blocks')
      .addColumn('block', 'bigint', (c) => c.primaryKey())
      .addColumn('oldest_start', 'bigint', (c) => c.notNull())
      .addColumn('newest_start', 'bigint', (c) => c.notNull()),
    { compile: () => sql`create index call_words_old on call_words (seq) where ${isOld}`.compile(db) },
  ];
}
