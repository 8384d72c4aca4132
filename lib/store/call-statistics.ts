import { setImmediate as turn } from 'node:timers/promises';
import { type Compilable, type RawBuilder, sql } from 'kysely';
import type { CallStats, CallStatsQuery } from '#lib/contract/call.ts';
import type { ExtensionOfHour, HourCounts, LastHour, ToolOfHour } from '#lib/contract/last-hour.ts';
import { callConditions, planCalls } from './call-conditions.ts';
import { createDurationCounts, type Dialect, durationClass, type DurationCounts } from './dialect.ts';
import type { CallSearch, SearchWord } from './search-words.ts';
import type { Db } from './database.ts';

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

export interface Statistics {
  readonly db: Db;
  now(): Date;
}

/** The end of a part that begins at `from`: after so many calls, at the latest `until`. */
async function pieceEnd(db: Db, from: number, until: number, piece: number): Promise<number> {
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
    const groups = await db
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
      const end = await pieceEnd(db, from, until, BATCH);
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

/**
 * Calls of the last hour and of the hour before, in total and by tool, and of the last hour by extension. A busy
 * server's complete history may be within these two hours, and pages ask again after every call. So counts are cached
 * for each five minutes in which no call is still running. The rest is read in parts, from one covering index. Calls
 * removed from the history meanwhile stay counted until their hour is over.
 */
interface LastHourCounts {
  count(): Promise<LastHour>;
}

const CUT_MS = 300_000;
const HOUR_BATCH = 20_000;
const BUSY_MS = 5;
const TOOLS_MOST = 10;
const EXTENSIONS_MOST = 1_000;

/** Calls of one tool of one extension in one class of durations and one period. */
interface Group {
  readonly tool: string;
  readonly extension: string;
  readonly class: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly timed_out: number;
  readonly running: number;
}

interface Counted {
  readonly durations: DurationCounts;
  failed: number;
  timedOut: number;
}

export function createLastHourCounts({ db, now }: Statistics): LastHourCounts {
  const groupCache = new Map<number, readonly Group[]>();
  /** When the event loop last got a turn. */
  let turnAt = 0;

  async function groupsBetween(since: number, until: number): Promise<readonly Group[]> {
    const known = until - since === CUT_MS ? groupCache.get(since) : undefined;
    if (known !== undefined) return known;
    const groups = new Map<string, Group>();
    for (let from = since; from < until;) {
      const end = await pieceEnd(db, from, until, HOUR_BATCH);
      for (const group of await lastHourQuery(db, from, end).execute()) {
        const name = `${group.class} ${group.tool} ${group.extension}`;
        const known = groups.get(name);
        groups.set(name, known === undefined ? group : sumOf(known, group));
      }
      from = end;
      if (performance.now() - turnAt > BUSY_MS) {
        await turn();
        turnAt = performance.now();
      }
    }
    const found = [...groups.values()];
    if (until - since === CUT_MS && until < now().getTime() && found.every((group) => group.running === 0)) groupCache.set(since, found);
    return found;
  }

  return {
    async count() {
      turnAt = performance.now();
      const until = now().getTime() + 1;
      const since = until - HOUR;
      const before = since - HOUR;
      for (const start of groupCache.keys()) if (start < before) groupCache.delete(start);
      const previous = emptyCounts();
      for (const [from, to] of periodsBetween(before, since)) for (const group of await groupsBetween(from, to)) add(previous, group);
      const last = emptyCounts();
      const tools = new Map<string, Counted>();
      const extensions = new Map<string, ExtensionOfHour>();
      const intervals: LastHour['intervals'] = [];
      const cuts = periodsBetween(since, until);
      for (const [at, [from, to]] of cuts.entries()) {
        const interval = emptyCounts();
        for (const group of await groupsBetween(from, to)) {
          const tool = tools.get(group.tool) ?? emptyCounts();
          tools.set(group.tool, tool);
          for (const counted of [last, interval, tool]) add(counted, group);
          const extension = extensions.get(group.extension) ?? createExtensionOfHour(group.extension, cuts.length);
          extensions.set(group.extension, extension);
          addAt(extension, at, group);
        }
        const { calls, failed, timed_out } = countsOf(interval);
        intervals.push({ since: iso(from), until: iso(to), calls, failed, timed_out });
      }
      const byTool = [...tools].map(([tool, counted]): ToolOfHour => ({ tool, ...countsOf(counted) }));
      return {
        before: iso(before),
        since: iso(since),
        until: iso(until),
        last: countsOf(last),
        previous: countsOf(previous),
        intervals,
        tools: tools.size,
        failing: byTool
          .filter((each) => badOf(each) > 0)
          .toSorted((a, b) => badOf(b) - badOf(a) || (a.tool < b.tool ? -1 : 1))
          .slice(0, TOOLS_MOST),
        slowest: byTool
          .filter((each) => each.p95_ms !== null)
          .toSorted((a, b) => (b.p95_ms ?? 0) - (a.p95_ms ?? 0) || (a.tool < b.tool ? -1 : 1))
          .slice(0, TOOLS_MOST),
        called_extensions: extensions.size,
        extensions: [...extensions.values()]
          .toSorted((a, b) => b.calls - a.calls || (a.extension < b.extension ? -1 : 1))
          .slice(0, EXTENSIONS_MOST),
      };
    },
  };
}

/** With the tool in it, the index by start covers the queries over the last hours. */
export function lastHourIndex(db: Db): readonly Compilable[] {
  return [
    db.schema.dropIndex('calls_by_start'),
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq', 'status', 'duration_us', 'tool']),
  ];
}

/** The same by extension: a tool may move to another one. */
export function lastHourByExtensionIndex(db: Db): readonly Compilable[] {
  return [
    db.schema.dropIndex('calls_by_start'),
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq', 'status', 'duration_us', 'tool', 'extension']),
  ];
}

export function lastHourQuery(db: Db, from: number, end: number) {
  return (
    db
      .selectFrom('calls')
      .select(['tool', 'extension', durationClass('duration_us').as('class')])
      .select([
        sql<number>`count(*)`.as('calls'),
        sql<number>`count(*) filter (where status = 'failed')`.as('failed'),
        sql<number>`count(*) filter (where status = 'timed_out')`.as('timed_out'),
        sql<number>`count(*) filter (where status = 'running')`.as('running'),
      ])
      .where('started_at', '>=', from)
      .where('started_at', '<', end)
      // Sorted by a number first: texts are compared only within a class, which takes a fifth less time.
      .groupBy(['class', 'tool', 'extension'])
  );
}

/** Five-minute periods; the first and the last may be shorter. */
function periodsBetween(since: number, until: number): readonly (readonly [since: number, until: number])[] {
  const found: [number, number][] = [];
  for (let from = since; from < until;) {
    const to = Math.min(until, (Math.floor(from / CUT_MS) + 1) * CUT_MS);
    found.push([from, to]);
    from = to;
  }
  return found;
}

function sumOf(a: Group, b: Group): Group {
  return {
    ...a,
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    timed_out: a.timed_out + b.timed_out,
    running: a.running + b.running,
  };
}

function emptyCounts(): Counted {
  return { durations: createDurationCounts(), failed: 0, timedOut: 0 };
}

function add(counted: Counted, group: Group): void {
  counted.durations.add(group);
  counted.failed += group.failed;
  counted.timedOut += group.timed_out;
}

function createExtensionOfHour(extension: string, intervals: number): ExtensionOfHour {
  const zeros = () => Array.from({ length: intervals }, () => 0);
  return { extension, calls: 0, failed: 0, timed_out: 0, interval_calls: zeros(), interval_failures: zeros() };
}

function addAt(extension: ExtensionOfHour, at: number, { calls, failed, timed_out }: Group): void {
  extension.calls += calls;
  extension.failed += failed;
  extension.timed_out += timed_out;
  extension.interval_calls[at] = (extension.interval_calls[at] ?? 0) + calls;
  extension.interval_failures[at] = (extension.interval_failures[at] ?? 0) + failed + timed_out;
}

function countsOf({ durations, failed, timedOut }: Counted): HourCounts {
  const { calls, p50_ms, p95_ms } = durations.counts();
  return { calls, failed, timed_out: timedOut, p50_ms, p95_ms };
}

function badOf(counts: HourCounts): number {
  return counts.failed + counts.timed_out;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
