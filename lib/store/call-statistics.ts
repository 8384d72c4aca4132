import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CallStats, CallStatsQuery } from '#lib/contract/call.ts';
import { callConditions, planCalls } from './call-conditions.ts';
import { createDurationCounts } from './duration-counts.ts';
import { durationClass } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import type { CallSearch } from './call-search.ts';
import type { Db } from './database.ts';
import type { SearchWord } from './search-words.ts';

/**
 * Counts and latencies of the history over time. The database is read on the main thread, so a million calls must not
 * be read at once: the time is split after a number of calls, with a turn of the event loop after each part. Durations
 * are counted in classes of 10 %, so percentiles need no sorting, and memory does not grow with the calls.
 */
const BATCH = 4_000;
/** A full-text search counts the newest so many. */
const FOUND_MOST = 10_000;
/** A young history is shown over this much time, so that one second does not fill the chart. */
const LEAST_MS = 600_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

interface Group {
  readonly bucket: number;
  readonly class: number | null;
  readonly calls: number;
  readonly failed: number;
}

export interface Statistics {
  readonly db: Db;
  now(): Date;
}

/** The end of a part that begins at `from`: after so many calls, at the latest `until`. */
export async function pieceEnd(db: Db, from: number, until: number, piece = BATCH): Promise<number> {
  const next = db.selectFrom('calls').select('started_at').where('started_at', '>=', from);
  const row = await next.orderBy('started_at').orderBy('seq').limit(1).offset(piece).executeTakeFirst();
  return row === undefined ? until : Math.min(until, Math.max(row.started_at, from + 1));
}

/** @param words those of `q`; null when no call can have them */
export async function countCalls(
  { db, dialect, search, now }: Statistics & { readonly dialect: Dialect; readonly search: CallSearch },
  query: CallStatsQuery,
  words: readonly SearchWord[] | null,
): Promise<CallStats> {
  const until = query.until === undefined ? now().getTime() + 1 : Date.parse(query.until);
  const since = query.since === undefined ? Math.min((await oldest()) ?? until, until - LEAST_MS) : Date.parse(query.since);
  const step = STEPS.find((each) => Math.ceil(until / each) - Math.floor(since / each) <= query.buckets) ?? Math.max(until - since, 1);
  const first = Math.floor(since / step);
  const count = Math.max(1, Math.ceil(until / step) - first);
  const buckets = Array.from({ length: count }, createDurationCounts);
  const total = createDurationCounts();

  async function oldest(): Promise<number | null> {
    return (
      (
        await db
          .selectFrom('calls')
          .select((eb) => eb.fn.min('started_at').as('at'))
          .executeTakeFirst()
      )?.at ?? null
    );
  }

  async function add(conditions: readonly RawBuilder<boolean>[]): Promise<number> {
    const bucket = sql<number>`calls.started_at / ${sql.lit(step)} - ${sql.lit(first)}`;
    const groups: Group[] = await db
      .selectFrom('calls')
      .select([bucket.as('bucket'), durationClass('calls.duration_us').as('class')])
      .select([
        sql<number>`count(*)`.as('calls'),
        sql<number>`count(*) filter (where calls.status in ('failed', 'timed_out'))`.as('failed'),
      ])
      .where((eb) => eb.and([...conditions]))
      .groupBy(['bucket', 'class'])
      .execute();
    for (const group of groups) {
      buckets[group.bucket]?.add(group);
      total.add(group);
    }
    return groups.reduce((sum, group) => sum + group.calls, 0);
  }

  let complete = true;
  if (words?.length === 0) {
    const { lead } = await planCalls(db, query);
    for (let from = since; from < until;) {
      const end = await pieceEnd(db, from, until);
      const time = { since: new Date(from).toISOString(), until: new Date(end).toISOString() };
      await add(callConditions(dialect, { ...query, ...time }, lead));
      from = end;
      await turn();
    }
  } else if (words !== null) {
    const rows = await search.newestSeqs(query, words, FOUND_MOST + 1);
    complete = rows.length <= FOUND_MOST;
    await add([sql<boolean>`calls.seq in ${dialect.numbers(rows.slice(0, FOUND_MOST))}`, ...callConditions(dialect, query, 'start')]);
  }
  return {
    since: new Date(first * step).toISOString(),
    until: new Date((first + count) * step).toISOString(),
    bucket_ms: step,
    buckets: buckets.map((bucket, at) => ({ at: new Date((first + at) * step).toISOString(), ...bucket.counts() })),
    total: total.counts(),
    complete,
  };
}
