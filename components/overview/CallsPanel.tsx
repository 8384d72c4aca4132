'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { LinkButton } from '#components/ui/Button.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { NewRows, usePointerInside, useStableRows } from '#components/ui/stable-rows.tsx';
import { Panel, Section } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime, RunningDuration, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { durationInWords } from '#components/ui/times.ts';
import { lastHourQuery } from '#lib/client/call-stats-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { useFirstStep } from '#lib/client/use-first-step.ts';
import type { Call } from '#lib/contract/call.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { inThousands, shareInWords } from '#components/ui/numbers.ts';
import { NEWEST_CALLS, badOf, callsAddress, intervalInWords, slowerThan } from './hour-words.ts';

export function CallsPanel() {
  const newest = useInfiniteQuery(queries.calls({}, NEWEST_CALLS));
  const hour = useQuery(lastHourQuery());
  const firstStep = useFirstStep();
  const calls = newest.data?.pages[0]?.calls;

  if (calls === undefined) {
    return (
      <Panel title="Calls">
        <QueryState query={newest} what="the calls" lines={6} />
      </Panel>
    );
  }
  if (calls.length === 0) {
    return (
      <Panel title="Calls">
        <EmptyState
          title="No calls yet"
          actions={
            <LinkButton link={ListLink} href={firstStep.href}>
              {firstStep.label}
            </LinkButton>
          }
        >
          {firstStep.obstacle ?? 'Calls from people, scripts and agents appear here with arguments, result and logs.'}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title="Calls of the last hour"
      flush
      actions={
        <ListLink href={PAGES.calls} className="link text-sm">
          Show all calls
        </ListLink>
      }
    >
      {hour.data === undefined ? (
        // Reserves the height of the loaded panel, so that the list below does not shift.
        <div className={hour.error === null ? 'min-h-128 border-b md:min-h-84' : undefined}>
          <QueryState query={hour} what="the call statistics" lines={5} inset />
        </div>
      ) : (
        <Hour hour={hour.data} />
      )}
      <h3 className="border-b bg-subtle px-4 py-1 text-xs font-medium text-muted">Newest calls</h3>
      <CallLines calls={calls} />
    </Panel>
  );
}

function Hour({ hour }: { hour: LastHour }) {
  if (hour.last.calls === 0) {
    return (
      <p className="border-b px-4 py-3 text-muted">
        No calls in the last hour
        {hour.previous.calls === 0 ? (
          ', and none in the hour before'
        ) : (
          <>
            ;{' '}
            <ListLink href={callsAddress({ since: hour.before, until: hour.since })} className="link">
              {inThousands(hour.previous.calls)} in the hour before
            </ListLink>
            .
          </>
        )}
      </p>
    );
  }
  return (
    <>
      <HourFigures hour={hour} />
      <HourStrip hour={hour} />
      <ToolRanking hour={hour} />
    </>
  );
}

/** Tall enough for touch. */
const LINK = 'inline-block rounded-sm py-1 underline-offset-2 hover:underline';

function HourFigures({ hour }: { hour: LastHour }) {
  const { last, previous, since } = hour;
  const before = { since: hour.before, until: since };
  return (
    <dl className="grid grid-cols-2 border-b sm:grid-cols-4 sm:divide-x">
      <Figure name="Calls" value={<ListLink href={callsAddress({ since })}>{inThousands(last.calls)}</ListLink>}>
        <ListLink href={callsAddress(before)} className={LINK}>
          hour before: {previous.calls === 0 ? 'none' : inThousands(previous.calls)}
        </ListLink>
      </Figure>
      <Figure name="Failed" value={<FailedShare hour={hour} />} bad={badOf(last) > 0}>
        <span className="flex flex-wrap gap-x-2">
          {last.failed === 0 ? null : (
            <ListLink href={callsAddress({ status: 'failed', since })} className={LINK}>
              {inThousands(last.failed)} failed
            </ListLink>
          )}
          {last.timed_out === 0 ? null : (
            <ListLink href={callsAddress({ status: 'timed_out', since })} className={LINK}>
              {inThousands(last.timed_out)} timed out
            </ListLink>
          )}
        </span>
        {previous.calls === 0 ? null : (
          <ListLink href={callsAddress({ status: FAILED, ...before })} className={LINK}>
            hour before: {shareInWords(badOf(previous), previous.calls)}
          </ListLink>
        )}
      </Figure>
      <Latency name="p50" ms={last.p50_ms} since={since} previous={previous.p50_ms} before={before} />
      <Latency name="p95" ms={last.p95_ms} since={since} previous={previous.p95_ms} before={before} />
    </dl>
  );
}

const FAILED = 'failed,timed_out';

function FailedShare({ hour: { last, since } }: { hour: LastHour }) {
  const words = shareInWords(badOf(last), last.calls);
  if (badOf(last) === 0) return words;
  return <ListLink href={callsAddress({ status: FAILED, since })}>{words}</ListLink>;
}

function Latency({
  name,
  ms,
  since,
  previous,
  before,
}: {
  name: string;
  ms: number | null;
  since: string;
  previous: number | null;
  before: { readonly since: string; readonly until: string };
}) {
  return (
    <Figure
      name={name}
      value={
        ms === null ? (
          '–'
        ) : (
          <ListLink href={callsAddress({ min_ms: slowerThan(ms), since })} title="Show slower calls">
            <Duration ms={ms} />
          </ListLink>
        )
      }
    >
      {previous === null ? null : (
        <ListLink href={callsAddress({ min_ms: slowerThan(previous), ...before })} className={LINK}>
          hour before: {durationInWords(previous)}
        </ListLink>
      )}
    </Figure>
  );
}

function Figure({ name, value, bad = false, children }: { name: string; value: ReactNode; bad?: boolean; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col px-4 py-2 sm:not-first:px-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular flex flex-col">
        <span className={cx('text-xl font-semibold whitespace-nowrap [&_a]:rounded-sm [&_a]:hover:underline', bad && 'text-failed')}>
          {value}
        </span>
        <span className="flex flex-col text-xs text-muted">{children}</span>
      </dd>
    </div>
  );
}

const HEIGHT = 40;

function HourStrip({ hour }: { hour: LastHour }) {
  const { clock } = useTimeZone();
  const max = Math.max(1, ...hour.intervals.map((interval) => interval.calls));
  const [only, ...others] = hour.intervals.filter((interval) => interval.calls > 0);
  if (only !== undefined && others.length === 0) {
    return (
      <p className="flex h-21 items-center justify-center border-b px-4 text-sm text-muted">
        <ListLink href={callsAddress({ since: only.since, until: only.until })} className={LINK}>
          {intervalInWords(only, clock)}
        </ListLink>
      </p>
    );
  }
  return (
    <figure className="flex flex-col gap-1 border-b px-4 py-3">
      <ol aria-label="Last hour in 5-minute bars" className="flex h-10 items-stretch gap-0.5">
        {hour.intervals.map((interval) => {
          const words = intervalInWords(interval, clock);
          return (
            <li key={interval.since} className="min-w-0 flex-1">
              <ListLink
                href={callsAddress({ since: interval.since, until: interval.until })}
                title={words}
                aria-label={words}
                className="focus-inset block h-full rounded-sm hover:bg-hover"
              >
                <Bar calls={interval.calls / max} bad={badOf(interval) / max} />
              </ListLink>
            </li>
          );
        })}
      </ol>
      <figcaption className="flex justify-between gap-3 text-xs text-muted">
        <span>An hour ago</span>
        <span className="max-sm:hidden">5 minutes per bar; failed calls in red</span>
        <span>Now</span>
      </figcaption>
    </figure>
  );
}

/** Heights from 0 to 1; values above 0 have a visible minimum. */
function Bar({ calls, bad }: { calls: number; bad: number }) {
  const all = calls === 0 ? 1 : Math.max(3, calls * HEIGHT);
  const failed = bad === 0 ? 0 : Math.max(3, bad * HEIGHT);
  return (
    <svg aria-hidden viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" className="h-full w-full">
      <rect x={0} width={10} y={HEIGHT - all} height={all} className={calls === 0 ? 'fill-line' : 'fill-line-strong'} />
      <rect x={0} width={10} y={HEIGHT - failed} height={failed} className="fill-failed" />
    </svg>
  );
}

function CallLines({ calls }: { calls: readonly Call[] }) {
  const { pointer, props: pointerProps } = usePointerInside();
  const { rows, waiting, showAll } = useStableRows(calls, { list: '', pointer, keepsRemoved: true });
  return (
    <div {...pointerProps}>
      <NewRows count={waiting} onShow={showAll} />
      <ol className="divide-y text-sm">
        {rows.map((call) => (
          <li
            key={call.id}
            className="relative grid grid-cols-[6.5rem_minmax(0,1fr)_auto_5rem] items-center gap-x-3 px-4 py-2 hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <StateText state={call.status} className="max-sm:order-2 max-sm:justify-self-end" />
            <span className="flex min-w-0 items-baseline gap-2 max-sm:order-1">
              <ListLink
                href={PAGES.call(call.id)}
                title={call.tool}
                className="focus-inset truncate lg:max-w-3/5 lg:shrink-0 rounded-sm font-medium row-link hover:underline"
              >
                {call.tool}
              </ListLink>
              <span className="truncate text-muted max-lg:hidden" title={call.error?.message}>
                {call.error?.message ?? call.actor}
              </span>
            </span>
            <span className="tabular text-right whitespace-nowrap text-muted max-sm:order-4">
              {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
            </span>
            <RelativeTime time={call.started_at} className="text-right whitespace-nowrap text-muted max-sm:order-3 max-sm:text-left" />
          </li>
        ))}
      </ol>
    </div>
  );
}

const SHOWN = 5;
const ROW_LINK = 'rounded-sm underline-offset-2 hover:underline';

function ToolRanking({ hour: { failing, slowest, since } }: { hour: LastHour }) {
  return (
    <div className="grid border-b md:grid-cols-2 md:divide-x">
      <Section title="Most failing" className="p-4">
        {failing.length === 0 ? (
          <p className="text-sm text-muted">No failed calls</p>
        ) : (
          <Ranking>
            {failing.slice(0, SHOWN).map((tool) => (
              <Row key={tool.tool} tool={tool.tool}>
                {tool.failed === 0 ? null : (
                  <ListLink href={callsAddress({ tool: tool.tool, status: 'failed', since })} className={ROW_LINK}>
                    {inThousands(tool.failed)} failed
                  </ListLink>
                )}
                {tool.timed_out === 0 ? null : (
                  <ListLink href={callsAddress({ tool: tool.tool, status: 'timed_out', since })} className={ROW_LINK}>
                    {inThousands(tool.timed_out)} timed out
                  </ListLink>
                )}
                <ListLink href={callsAddress({ tool: tool.tool, since })} className={ROW_LINK}>
                  of {inThousands(tool.calls)}
                </ListLink>
              </Row>
            ))}
          </Ranking>
        )}
      </Section>
      <Section title="Slowest" note="p95" className="p-4 max-md:border-t">
        {slowest.length === 0 ? (
          <p className="text-sm text-muted">No finished calls</p>
        ) : (
          <Ranking>
            {slowest.slice(0, SHOWN).map((tool) => (
              <Row key={tool.tool} tool={tool.tool}>
                <ListLink href={callsAddress({ tool: tool.tool, min_ms: slowerThan(tool.p95_ms ?? 0), since })} className={ROW_LINK}>
                  {durationInWords(tool.p95_ms ?? 0)}
                </ListLink>
              </Row>
            ))}
          </Ranking>
        )}
      </Section>
    </div>
  );
}

function Ranking({ children }: { children: ReactNode }) {
  return <ul className="flex flex-col gap-1 text-sm">{children}</ul>;
}

function Row({ tool, children }: { tool: string; children: ReactNode }) {
  return (
    <li className="flex items-baseline gap-3">
      <ListLink href={PAGES.tool(tool)} title={tool} className="min-w-0 flex-1 truncate rounded-sm hover:underline">
        {tool}
      </ListLink>
      <span className="tabular flex gap-2 whitespace-nowrap text-muted">{children}</span>
    </li>
  );
}
