'use client';

import { useQuery } from '@tanstack/react-query';
import { ZoomOut } from 'lucide-react';
import { type PointerEvent, useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState } from '#components/ui/QueryState.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { inThousands, shareInWords } from '#components/ui/numbers.ts';
import { durationInWords, minuteOf } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { callStatsQuery } from '#lib/client/call-stats-queries.ts';
import type { CallListFilter } from '#lib/client/queries.ts';
import type { CallStats } from '#lib/contract/call.ts';

type Counts = CallStats['total'];

export function countsInWords({ calls, failed, p50_ms: p50, p95_ms: p95 }: Counts): string {
  const parts = [`${inThousands(calls)} ${calls === 1 ? 'call' : 'calls'}`];
  if (calls > 0) parts.push(`${shareInWords(failed, calls)} failed`);
  if (p50 !== null) parts.push(`p50 ${durationInWords(p50)}`);
  if (p95 !== null) parts.push(`p95 ${durationInWords(p95)}`);
  return parts.join(', ');
}

export function bucketAt(stats: CallStats, place: number): number {
  return Math.min(stats.buckets.length - 1, Math.max(0, Math.floor(place * stats.buckets.length)));
}

export function spanOf(stats: CallStats, from: number, to: number): { readonly since: Date; readonly until: Date } {
  const start = Date.parse(stats.since);
  return {
    since: new Date(start + Math.min(from, to) * stats.bucket_ms),
    until: new Date(start + (Math.max(from, to) + 1) * stats.bucket_ms),
  };
}

/** Fewer bars would be blocks. */
const MIN_BARS = 12;
const BARS_BEFORE_FIRST = 2;

/** Without the empty time before the first call: few calls would otherwise be a bar at the edge of an empty chart. */
export function fromFirstCall(stats: CallStats): CallStats {
  const first = stats.buckets.findIndex((bucket) => bucket.calls > 0);
  const from = Math.min(first - BARS_BEFORE_FIRST, stats.buckets.length - MIN_BARS);
  const start = stats.buckets[from];
  return from <= 0 || start === undefined ? stats : { ...stats, since: start.at, buckets: stats.buckets.slice(from) };
}

/** Below this distance a press is a click, not a drag. */
const MIN_DRAG_PX = 4;

export function isDrag(from: number, to: number): boolean {
  return Math.abs(to - from) >= MIN_DRAG_PX;
}

export function scalesOf(stats: CallStats): {
  readonly calls: string | null;
  readonly slowest: string | null;
  readonly halfway: string | null;
} {
  const { calls, slowestMs } = maximaOf(stats);
  const isTimed = stats.buckets.some((bucket) => bucket.p95_ms !== null);
  return {
    calls: stats.total.calls === 0 ? null : `${inThousands(calls)} ${calls === 1 ? 'call' : 'calls'}`,
    slowest: isTimed ? durationInWords(slowestMs) : null,
    halfway: isTimed ? durationInWords(Math.expm1(Math.log1p(slowestMs) / 2)) : null,
  };
}

function maximaOf(stats: CallStats): { readonly calls: number; readonly slowestMs: number } {
  return {
    calls: Math.max(1, ...stats.buckets.map((bucket) => bucket.calls)),
    slowestMs: Math.max(1, ...stats.buckets.map((bucket) => bucket.p95_ms ?? 0)),
  };
}

type Heights = Record<'calls' | 'failed' | 'p50' | 'p95', readonly number[]>;

/** Heights from 0 to 1 per interval; latencies are logarithmic. */
export function heightsOf(stats: CallStats): Heights {
  const { buckets } = stats;
  const { calls: max, slowestMs: slowest } = maximaOf(stats);
  const log = (ms: number | null) => (ms === null ? 0 : Math.log1p(ms) / Math.log1p(slowest));
  return {
    calls: buckets.map((bucket) => bucket.calls / max),
    failed: buckets.map((bucket) => bucket.failed / max),
    p50: buckets.map((bucket) => log(bucket.p50_ms)),
    p95: buckets.map((bucket) => log(bucket.p95_ms)),
  };
}

const MIN_HEIGHT = 1.5;

export function barPath(at: number, baseline: number, height: number): string {
  if (height === 0) return '';
  const shown = Number(Math.max(MIN_HEIGHT, height).toFixed(2));
  return `M${at + 0.08} ${baseline}v-${shown}h.84v${shown}z`;
}

const UNITS = [
  { ms: 86_400_000, word: 'd' },
  { ms: 3_600_000, word: 'h' },
  { ms: 60_000, word: 'min' },
  { ms: 1_000, word: 's' },
] as const;

export function intervalInWords(ms: number): string {
  const unit = UNITS.find((each) => ms >= each.ms && ms % each.ms === 0);
  return unit === undefined ? durationInWords(ms) : `${ms / unit.ms} ${unit.word}`;
}

interface HistoryStripProps {
  filter: CallListFilter;
  onSpan: (span: { readonly since: Date; readonly until: Date } | null) => void;
}

const BARS = 44;
const TIMES = 28;
const GAP = 6;
const HEIGHT = BARS + GAP + TIMES;
const LEGEND = 'calls, failed in red; below, p50 and p95 latency';

interface IndexRange {
  readonly from: number;
  readonly to: number;
}

export function HistoryStrip({ filter, onSpan }: HistoryStripProps) {
  const narrowed = filter.since !== undefined || filter.until !== undefined;
  const { data: counted, error, refetch, isFetching } = useQuery(callStatsQuery(filter));
  const data = useMemo(() => (counted === undefined || narrowed ? counted : fromFirstCall(counted)), [counted, narrowed]);
  const [over, setOver] = useState<IndexRange | null>(null);
  const { clock } = useTimeZone();
  const nonEmpty = data?.buckets.filter((bucket) => bucket.calls > 0) ?? [];
  const [only, ...others] = nonEmpty;
  const message =
    data === undefined
      ? null
      : only === undefined
        ? 'No calls in this period'
        : others.length === 0 && !narrowed
          ? `All within ${intervalInWords(data.bucket_ms)} from ${minuteOf(only.at, clock)}`
          : null;
  if (data === undefined && error !== null)
    return <ErrorState title="Calls not available" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />;
  return (
    <section aria-label="Calls over time" className="flex min-w-0 flex-col gap-2 rounded border bg-panel px-4 py-3">
      <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 gap-y-1 max-sm:min-h-10">
        <p className="tabular min-w-0 text-sm font-medium">{data === undefined ? 'Loading…' : countsInWords(data.total)}</p>
        {data?.complete === false ? <p className="text-sm text-muted">only the newest matches are counted</p> : null}
        {narrowed ? (
          <Button size="sm" icon={<ZoomOut />} onClick={() => onSpan(null)} className="ml-auto">
            Reset time range
          </Button>
        ) : null}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex min-w-0 gap-2" style={{ height: HEIGHT }}>
          {data === undefined ? null : message !== null ? (
            <p className="tabular m-auto text-sm text-muted">{message}</p>
          ) : (
            <>
              <Strip stats={data} over={over} onOver={setOver} onSpan={onSpan} />
              <Scales stats={data} />
            </>
          )}
        </div>
        {message === null ? <Axis stats={data} over={over} /> : <div className="h-4" />}
      </div>
      {data === undefined ? <div className="h-5" /> : <HistoryTable stats={data} onSpan={onSpan} />}
    </section>
  );
}

/** Rendered before the bars, so that nothing shifts. */
function Axis({ stats, over }: { stats: CallStats | undefined; over: IndexRange | null }) {
  const { clock } = useTimeZone();
  const shown = over === null || over.from !== over.to ? undefined : stats?.buckets[over.from];
  return (
    <div className="tabular flex min-w-0 flex-wrap justify-between gap-x-3 text-xs text-muted">
      <span>{stats === undefined ? '…' : minuteOf(stats.since, clock)}</span>
      <span className="min-w-0 max-md:order-last max-md:basis-full">
        {shown !== undefined
          ? `${minuteOf(shown.at, clock)}: ${countsInWords(shown)}`
          : stats === undefined
            ? LEGEND
            : over !== null
              ? Object.values(spanOf(stats, over.from, over.to))
                  .map((moment) => minuteOf(moment.toISOString(), clock))
                  .join(' to ')
              : `${intervalInWords(stats.bucket_ms)} per bar: ${LEGEND}`}
      </span>
      <span>{stats === undefined ? '…' : minuteOf(stats.until, clock)}</span>
    </div>
  );
}

function Scales({ stats }: { stats: CallStats }) {
  const { calls, slowest, halfway } = scalesOf(stats);
  const marks = [
    { at: 0, words: calls },
    { at: BARS + GAP, words: slowest },
    { at: BARS + GAP + TIMES / 2, words: halfway },
  ];
  return (
    <div className="tabular relative w-16 shrink-0 text-[0.6875rem] leading-none text-muted">
      {marks.map(({ at, words }) =>
        words === null ? null : (
          <span key={at} className="absolute left-0 border-t border-line-strong pt-px pl-1 whitespace-nowrap" style={{ top: at }}>
            {words}
          </span>
        ),
      )}
    </div>
  );
}

interface StripProps {
  stats: CallStats;
  over: IndexRange | null;
  onOver: (reach: IndexRange | null) => void;
  onSpan: HistoryStripProps['onSpan'];
}

function Strip({ stats, over, onOver, onSpan }: StripProps) {
  const [drag, setDrag] = useState<(IndexRange & { readonly pressedAt: number }) | null>(null);
  const count = stats.buckets.length;
  const { calls, failed, p95, p50 } = useMemo(() => shapesOf(stats), [stats]);
  const one = over !== null && over.from === over.to ? over.from : null;

  function locationOf(event: PointerEvent<HTMLElement>): number {
    const rect = event.currentTarget.getBoundingClientRect();
    return bucketAt(stats, (event.clientX - rect.left) / Math.max(1, rect.width));
  }

  return (
    <div
      className="relative min-w-0 flex-1 cursor-crosshair touch-pan-y select-none"
      data-strip
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = locationOf(event);
        setDrag({ from: at, to: at, pressedAt: event.clientX });
      }}
      onPointerMove={(event) => {
        const at = locationOf(event);
        onOver({ from: drag?.from ?? at, to: at });
        if (drag !== null) setDrag({ ...drag, to: at });
      }}
      onPointerUp={(event) => {
        if (drag !== null && isDrag(drag.pressedAt, event.clientX)) onSpan(spanOf(stats, drag.from, drag.to));
        setDrag(null);
      }}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={() => onOver(null)}
    >
      <svg
        role="img"
        aria-label={countsInWords(stats.total)}
        viewBox={`0 0 ${count} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="block w-full"
        style={{ height: HEIGHT }}
      >
        {drag === null ? null : (
          <rect
            x={Math.min(drag.from, drag.to)}
            width={Math.abs(drag.to - drag.from) + 1}
            y={0}
            height={HEIGHT}
            className="fill-accent-soft"
          />
        )}
        <path d={`M0 ${BARS - 0.5}H${count}`} className="stroke-line" vectorEffect="non-scaling-stroke" />
        <path d={calls.join('')} className="fill-line-strong" />
        {one === null ? null : <path d={calls[one]} className="fill-muted" />}
        <path d={failed.join('')} className="fill-failed" />
        <path d={p95.join('')} className="fill-running opacity-35" />
        <path d={p50.join('')} className="fill-running" />
      </svg>
    </div>
  );
}

/** One path per kind: an element per bar would be most of the DOM. */
function shapesOf(stats: CallStats) {
  const { calls, failed, p95, p50 } = heightsOf(stats);
  return {
    calls: calls.map((height, at) => barPath(at, BARS, BARS * height)),
    failed: failed.map((height, at) => barPath(at, BARS, BARS * height)),
    p95: p95.map((height, at) => barPath(at, HEIGHT, TIMES * height)),
    p50: p50.map((height, at) => barPath(at, HEIGHT, TIMES * height)),
  };
}

function HistoryTable({ stats, onSpan }: { stats: CallStats; onSpan: HistoryStripProps['onSpan'] }) {
  const { clock } = useTimeZone();
  const rows = stats.buckets.map((bucket, at) => ({ ...bucket, place: at })).filter((bucket) => bucket.calls > 0);
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer rounded-sm text-muted hover:text-fg">As a table</summary>
      {rows.length === 0 ? (
        <p className="py-2 text-muted">No calls in this period</p>
      ) : (
        <div tabIndex={0} role="region" aria-label="Calls over time as a table" className="focus-inset mt-2 max-h-72 overflow-auto">
          <table className="tabular w-full text-right">
            <thead className="text-xs text-muted">
              <tr className="border-b">
                {['From', 'Calls', 'Failed', 'p50', 'p95'].map((name, at) => (
                  <th key={name} scope="col" className={at === 0 ? 'py-1 text-left font-medium' : 'px-2 py-1 font-medium'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {rows.toReversed().map((bucket) => (
                <tr key={bucket.at}>
                  <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                    <button
                      type="button"
                      onClick={() => onSpan(spanOf(stats, bucket.place, bucket.place))}
                      className="link pointer-coarse:py-2"
                    >
                      {minuteOf(bucket.at, clock)}
                    </button>
                  </th>
                  <td className="px-2">{inThousands(bucket.calls)}</td>
                  <td className="px-2">{inThousands(bucket.failed)}</td>
                  <td className="px-2 whitespace-nowrap">{bucket.p50_ms === null ? '–' : durationInWords(bucket.p50_ms)}</td>
                  <td className="px-2 whitespace-nowrap">{bucket.p95_ms === null ? '–' : durationInWords(bucket.p95_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
