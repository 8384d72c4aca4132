'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel, Section } from '#components/ui/Panel.tsx';
import { Duration, useClockText } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { durationInWords } from '#components/ui/times.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { countByHour, figuresOf, mostFailing, slowest } from './call-figures.ts';
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
  const [last = 0, before = 0] = useClockText((now) => (page === undefined ? '' : Object.values(countByHour(page.calls, now)).join(' ')))
    .split(' ')
    .map(Number);

  if (page === undefined) {
    return (
      <Panel title="Calls">
        {error === null ? (
          <Skeleton lines={6} label="Reading the calls…" />
        ) : (
          <ErrorState title="The calls could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        )}
      </Panel>
    );
  }
  if (page.calls.length === 0) {
    return (
      <Panel title="Calls">
        <EmptyState
          title="No calls yet"
          actions={
            <Button asChild>
              <Link href={PAGES.tools}>Choose a tool</Link>
            </Button>
          }
        >
          Every call of a tool, from this page, from a script or from an agent, is recorded with its arguments, result and logs.
        </EmptyState>
      </Panel>
    );
  }

  const recent = page.calls.slice(0, last);
  const figures = figuresOf(recent);
  const coversBoth = last + before < page.calls.length || page.next_cursor === null;
  const previous = coversBoth && before > 0 ? figuresOf(page.calls.slice(last, last + before)) : null;
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
          <Sums figures={figures} previous={previous} />
          <CallStrip calls={recent} />
          <div className="grid border-b md:grid-cols-2 md:divide-x">
            <Section title="Most failing" className="p-4">
              {failing.length === 0 ? (
                <p className="text-muted">No call failed.</p>
              ) : (
                <ToolFiguresList
                  items={failing.map((tool) => ({
                    tool: tool.tool,
                    href: `${PAGES.calls}?tool=${encodeURIComponent(tool.tool)}&status=failed`,
                    value: `${tool.failed} of ${tool.calls}`,
                  }))}
                />
              )}
            </Section>
            <Section title="Slowest" note="95 % within" className="p-4 max-md:border-t">
              <ToolFiguresList
                items={slowest(figures, TOOLS).map((tool) => ({
                  tool: tool.tool,
                  href: `${PAGES.calls}?tool=${encodeURIComponent(tool.tool)}`,
                  value: durationInWords(tool.p95 ?? 0),
                }))}
              />
            </Section>
          </div>
        </>
      )}
      <CallLines calls={page.calls.slice(0, SHOWN)} />
    </Panel>
  );
}

/** `previous`: the hour before, when the calls at hand reach back that far. */
function Sums({ figures, previous }: { figures: CallFigures; previous: CallFigures | null }) {
  return (
    <dl className="grid grid-cols-2 border-b sm:grid-cols-4 sm:divide-x">
      <Figure name="Calls" value={figures.calls} before={previous === null ? null : String(previous.calls)} />
      <Figure
        name="Failed"
        value={`${shareOf(figures)} %`}
        before={previous === null ? null : `${shareOf(previous)} %`}
        bad={figures.failed > 0}
      />
      <Figure
        name="Half within"
        value={<Duration ms={figures.p50} />}
        before={previous?.p50 == null ? null : durationInWords(previous.p50)}
      />
      <Figure
        name="95 % within"
        value={<Duration ms={figures.p95} />}
        before={previous?.p95 == null ? null : durationInWords(previous.p95)}
      />
    </dl>
  );
}

function shareOf(figures: CallFigures): string {
  const share = figures.calls === 0 ? 0 : (figures.failed / figures.calls) * 100;
  return share === 0 || share >= 10 ? String(Math.round(share)) : share.toFixed(1);
}

function Figure({ name, value, before, bad = false }: { name: string; value: ReactNode; before: string | null; bad?: boolean }) {
  return (
    <div className="flex min-w-0 flex-col px-4 py-2.5">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular flex flex-col">
        <span className={cx('text-xl font-semibold whitespace-nowrap', bad && 'text-failed')}>{value}</span>
        {before === null ? null : <span className="text-xs text-muted">{before} the hour before</span>}
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
