'use client';

import { useQuery } from '@tanstack/react-query';
import { ZoomOut } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { PointerEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { minuteOf } from '#components/ui/times.ts';
import type { Clock } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { callStatsQuery } from '#lib/client/call-stats-query.ts';
import type { CallListFilter } from '#lib/client/queries.ts';
import type { CallStats } from '#lib/contract/call.ts';
import { barPath, bucketAt, countsInWords, heightsOf, intervalInWords, isDrag, scalesOf, spanOf } from './history-figures.ts';
import { HistoryTable } from './HistoryTable.tsx';

export interface HistoryStripProps {
  filter: CallListFilter;
  /** A part of the time was chosen; null: all of it again. */
  onSpan: (span: { readonly since: Date; readonly until: Date } | null) => void;
}

const BARS = 44;
const TIMES = 28;
const GAP = 6;
const HEIGHT = BARS + GAP + TIMES;
const LEGEND = 'calls, failed in red; below, how long half and 95% of them took';

/** Intervals from the first to the last, under the mouse or dragged over. */
interface Reach {
  readonly from: number;
  readonly to: number;
}

/** What the list shows, over time: how many calls, how many of them failed, how long they took. Dragging narrows the list. */
export function HistoryStrip({ filter, onSpan }: HistoryStripProps) {
  const { data, error, refetch, isFetching } = useQuery(callStatsQuery(filter));
  const [over, setOver] = useState<Reach | null>(null);
  const narrowed = filter.since !== undefined || filter.until !== undefined;
  if (data === undefined && error !== null)
    return (
      <ErrorState title="The calls could not be counted" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  return (
    <section aria-label="Calls over time" className="flex min-w-0 flex-col gap-2 rounded border bg-panel px-4 py-3">
      <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 gap-y-1 max-sm:min-h-10">
        <p className="tabular min-w-0 text-sm font-medium">{data === undefined ? 'Counting…' : countsInWords(data.total)}</p>
        {data?.complete === false ? <p className="text-sm text-muted">only the newest that the words find are counted</p> : null}
        {narrowed ? (
          <Button size="sm" icon={<ZoomOut aria-hidden />} onClick={() => onSpan(null)} className="ml-auto">
            Show all the time
          </Button>
        ) : null}
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex min-w-0 gap-1.5" style={{ height: HEIGHT }}>
          {data === undefined ? null : (
            <>
              <Strip stats={data} over={over} onOver={setOver} onSpan={onSpan} />
              <Scales stats={data} />
            </>
          )}
        </div>
        <Axis stats={data} over={over} />
      </div>
      {data === undefined ? <div className="h-5" /> : <HistoryTable stats={data} onSpan={onSpan} />}
    </section>
  );
}

/** What the bars are, or the one under the mouse. It stands there before the bars do, so that nothing below it jumps. */
function Axis({ stats, over }: { stats: CallStats | undefined; over: Reach | null }) {
  const { clock } = useTimeZone();
  const shown = over === null || over.from !== over.to ? undefined : stats?.buckets[over.from];
  return (
    <div className="tabular flex min-w-0 flex-wrap justify-between gap-x-3 text-xs text-muted">
      <span>{stats === undefined ? '…' : minuteOf(stats.since, clock)}</span>
      <span className="min-w-0 max-sm:order-last max-sm:basis-full">
        {shown !== undefined
          ? `${minuteOf(shown.at, clock)}: ${countsInWords(shown)}`
          : stats === undefined
            ? LEGEND
            : over !== null
              ? spanInMoments(spanOf(stats, over.from, over.to), clock)
              : `${intervalInWords(stats.bucket_ms)} a bar: ${LEGEND}`}
      </span>
      <span>{stats === undefined ? '…' : minuteOf(stats.until, clock)}</span>
    </div>
  );
}

function spanInMoments({ since, until }: ReturnType<typeof spanOf>, clock: Clock): string {
  return `${minuteOf(since.toISOString(), clock)} to ${minuteOf(until.toISOString(), clock)}`;
}

/** How many calls the highest bar is, and how long the highest and one of half the height took: durations grow by their logarithm. */
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
  over: Reach | null;
  onOver: (reach: Reach | null) => void;
  onSpan: HistoryStripProps['onSpan'];
}

function Strip({ stats, over, onOver, onSpan }: StripProps) {
  const [drag, setDrag] = useState<(Reach & { readonly pressedAt: number }) | null>(null);
  const count = stats.buckets.length;
  const { calls, failed, p95, p50 } = useMemo(() => shapesOf(stats), [stats]);
  const one = over !== null && over.from === over.to ? over.from : null;

  function placeOf(event: PointerEvent<HTMLElement>): number {
    const box = event.currentTarget.getBoundingClientRect();
    return bucketAt(stats, (event.clientX - box.left) / Math.max(1, box.width));
  }

  return (
    <div
      className="relative min-w-0 flex-1 cursor-crosshair touch-pan-y select-none"
      data-strip
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const at = placeOf(event);
        setDrag({ from: at, to: at, pressedAt: event.clientX });
      }}
      onPointerMove={(event) => {
        const at = placeOf(event);
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
        <path d={calls.join('')} className="fill-line-strong" />
        {one === null ? null : <path d={calls[one]} className="fill-muted" />}
        <path d={failed.join('')} className="fill-failed" />
        <path d={p95.join('')} className="fill-running opacity-35" />
        <path d={p50.join('')} className="fill-running" />
      </svg>
    </div>
  );
}

/** The bars of a kind are one shape on the page: an element for each would be most of what the page has to take in. */
function shapesOf(stats: CallStats) {
  const { calls, failed, p95, p50 } = heightsOf(stats);
  return {
    calls: calls.map((height, at) => barPath(at, BARS, BARS * height)),
    failed: failed.map((height, at) => barPath(at, BARS, BARS * height)),
    p95: p95.map((height, at) => barPath(at, HEIGHT, TIMES * height)),
    p50: p50.map((height, at) => barPath(at, HEIGHT, TIMES * height)),
  };
}
