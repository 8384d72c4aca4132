import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { HourCounts, LastHour, ToolOfHour } from '#lib/contract/last-hour.ts';
import { pieceEnd } from './call-statistics.ts';
import type { Statistics } from './call-statistics.ts';
import { createDurationCounts, DURATION_CLASSES_PER_E } from './duration-counts.ts';
import type { DurationCounts } from './duration-counts.ts';
import type { QueryBuilder } from './query-builder.ts';

/**
 * The calls of the last hour and of the one before, as a whole and by tool. A busy server has its whole history in these two
 * hours, so they are read in pieces, like the statistics, from one index that holds all that is counted.
 */
const HOUR_MS = 3_600_000;
const INTERVALS = 12;
const INTERVAL_MS = HOUR_MS / INTERVALS;
const TOOLS_MOST = 10;

interface Counted {
  readonly durations: DurationCounts;
  failed: number;
  timedOut: number;
}

interface Group {
  readonly tool: string;
  /** Negative in the hour before. */
  readonly interval: number;
  readonly class: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly timed_out: number;
}

export async function countLastHour({ connection, db, now }: Statistics): Promise<LastHour> {
  const until = now().getTime() + 1;
  const since = until - HOUR_MS;
  const before = since - HOUR_MS;
  const last = createCounted();
  const previous = createCounted();
  const intervals = Array.from({ length: INTERVALS }, createCounted);
  const tools = new Map<string, Counted>();

  function toolOf(name: string): Counted {
    const known = tools.get(name);
    if (known !== undefined) return known;
    const fresh = createCounted();
    tools.set(name, fresh);
    return fresh;
  }

  for (let from = before; from < until;) {
    const end = pieceEnd(connection, db, from, from < since ? since : until);
    for (const group of connection.all(lastHourQuery(db, from, end, since).compile())) {
      if (group.interval < 0) add(previous, group);
      else for (const counted of [last, intervals[group.interval], toolOf(group.tool)]) add(counted, group);
    }
    from = end;
    await turn();
  }

  const byTool = [...tools].map(([tool, counted]): ToolOfHour => ({ tool, ...countsOf(counted) }));
  return {
    before: iso(before),
    since: iso(since),
    until: iso(until),
    last: countsOf(last),
    previous: countsOf(previous),
    intervals: intervals.map((counted, at) => {
      const { calls, failed, timed_out } = countsOf(counted);
      return { since: iso(since + at * INTERVAL_MS), until: iso(since + (at + 1) * INTERVAL_MS), calls, failed, timed_out };
    }),
    tools: tools.size,
    failing: byTool
      .filter((each) => badOf(each) > 0)
      .toSorted((a, b) => badOf(b) - badOf(a) || (a.tool < b.tool ? -1 : 1))
      .slice(0, TOOLS_MOST),
    slowest: byTool
      .filter((each) => each.p95_ms !== null)
      .toSorted((a, b) => (b.p95_ms ?? 0) - (a.p95_ms ?? 0) || (a.tool < b.tool ? -1 : 1))
      .slice(0, TOOLS_MOST),
  };
}

/** With the tool in it, the index by start answers what is asked of the last hours without reading the calls themselves. */
export function lastHourIndex(db: QueryBuilder): readonly Compilable[] {
  return [
    db.schema.dropIndex('calls_by_start'),
    db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'seq', 'status', 'duration_us', 'tool']),
  ];
}

export function lastHourQuery(db: QueryBuilder, from: number, end: number, since: number) {
  // Rounding goes towards zero, so the hour before is told apart first.
  const interval = sql<number>`case when started_at < ${since} then -1 else cast((started_at - ${since}) / ${sql.lit(INTERVAL_MS)} as integer) end`;
  const durationClass = sql<number | null>`cast(ln(max(duration_us, 1)) * ${sql.lit(DURATION_CLASSES_PER_E)} as integer)`;
  return db
    .selectFrom('calls')
    .select(['tool', interval.as('interval'), durationClass.as('class')])
    .select([
      sql<number>`count(*)`.as('calls'),
      sql<number>`sum(status = 'failed')`.as('failed'),
      sql<number>`sum(status = 'timed_out')`.as('timed_out'),
    ])
    .where('started_at', '>=', from)
    .where('started_at', '<', end)
    .groupBy(['tool', sql.lit(2), sql.lit(3)])
    .$castTo<Group>();
}

function createCounted(): Counted {
  return { durations: createDurationCounts(), failed: 0, timedOut: 0 };
}

function add(counted: Counted | undefined, group: Group): void {
  if (counted === undefined) return;
  counted.durations.add(group);
  counted.failed += group.failed;
  counted.timedOut += group.timed_out;
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
