'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel, Section } from '#components/ui/Panel.tsx';
import { Duration, useClockText } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { durationInWords } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { figuresOf, mostFailing, slowest, withinLastHour } from './call-figures.ts';
import type { CallFigures } from './call-figures.ts';
import { CallLines } from './CallLines.tsx';
import { CallStrip } from './CallStrip.tsx';
import { OVERVIEW_CALLS } from './overview-calls.ts';

const SHOWN = 8;
const TOOLS = 5;

/** The calls of the last hour: how many, how many failed, how fast; the tools behind that; the newest ones. */
export function RecentCalls() {
  const { data, error, refetch, isFetching } = useInfiniteQuery(queries.calls({}, OVERVIEW_CALLS));
  const page = data?.pages[0];
  const cut = useClockText((now) => String(page === undefined ? 0 : withinLastHour(page.calls, now).length));

  if (page === undefined) {
    return (
      <Panel title="Calls">
        {error === null ? <Skeleton lines={6} label="Reading the calls…" /> : <ErrorState title="The calls could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />}
      </Panel>
    );
  }
  if (page.calls.length === 0) {
    return (
      <Panel title="Calls">
        <EmptyState
          title="No calls yet"
          actions={
            <Button asChild variant="primary">
              <Link href={PAGES.tools}>Choose a tool</Link>
            </Button>
          }
        >
          Every call of a tool, from this page, from a script or from an agent, is recorded with its arguments, result and logs.
        </EmptyState>
      </Panel>
    );
  }

  const recent = page.calls.slice(0, Number(cut));
  const figures = figuresOf(recent);
  const more = recent.length === page.calls.length && page.next_cursor !== null;
  const failing = mostFailing(figures, TOOLS);
  return (
    <Panel
      title={more ? `The last ${recent.length} calls` : 'Calls of the last hour'}
      flush
      actions={
        <Button asChild size="sm" variant="quiet">
          <Link href={PAGES.calls}>Show all calls</Link>
        </Button>
      }
    >
      {recent.length === 0 ? (
        <p className="border-b px-4 py-3 text-muted">None in the last hour. The newest before that:</p>
      ) : (
        <>
          <Sums figures={figures} />
          <CallStrip calls={recent} />
          <div className="grid border-b md:grid-cols-2 md:divide-x">
            <Section title="Most failing" className="p-4">
              {failing.length === 0 ? (
                <p className="text-muted">No call failed.</p>
              ) : (
                <ToolFiguresList items={failing.map((tool) => ({ tool: tool.tool, href: `${PAGES.calls}?tool=${encodeURIComponent(tool.tool)}&status=failed`, value: `${tool.failed} of ${tool.calls}` }))} />
              )}
            </Section>
            <Section title="Slowest" note="p95" className="p-4 max-md:border-t">
              <ToolFiguresList items={slowest(figures, TOOLS).map((tool) => ({ tool: tool.tool, href: `${PAGES.calls}?tool=${encodeURIComponent(tool.tool)}`, value: durationInWords(tool.p95 ?? 0) }))} />
            </Section>
          </div>
        </>
      )}
      <CallLines calls={page.calls.slice(0, SHOWN)} />
    </Panel>
  );
}

function Sums({ figures }: { figures: CallFigures }) {
  const rate = figures.calls === 0 ? 0 : (figures.failed / figures.calls) * 100;
  return (
    <dl className="grid grid-cols-2 border-b sm:grid-cols-4 sm:divide-x">
      <Figure name="Calls" value={figures.calls} note={figures.running === 0 ? null : `${figures.running} running`} />
      <Figure name="Failed" value={figures.failed} note={figures.failed === 0 ? null : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} %`} bad={figures.failed > 0} />
      <Figure name="Median" value={<Duration ms={figures.p50} />} note={null} />
      <Figure name="Slowest 5 %" value={<Duration ms={figures.p95} />} note="and more" />
    </dl>
  );
}

function Figure({ name, value, note, bad = false }: { name: string; value: ReactNode; note: string | null; bad?: boolean }) {
  return (
    <div className="flex flex-col px-4 py-2.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular flex items-baseline gap-2">
        <span className={bad ? 'text-xl font-semibold text-failed' : 'text-xl font-semibold'}>{value}</span>
        {note === null ? null : <span className="text-sm text-muted">{note}</span>}
      </dd>
    </div>
  );
}

function ToolFiguresList({ items }: { items: readonly { readonly tool: string; readonly href: string; readonly value: string }[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {items.map((item) => (
        <li key={item.tool} className="flex items-baseline gap-3">
          <Link href={item.href} title={item.tool} className="min-w-0 flex-1 truncate rounded-sm hover:underline">
            {item.tool}
          </Link>
          <span className="tabular whitespace-nowrap text-muted">{item.value}</span>
        </li>
      ))}
    </ul>
  );
}
