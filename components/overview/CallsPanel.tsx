'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { lastHourQuery } from '#lib/client/last-hour-query.ts';
import { queries } from '#lib/client/queries.ts';
import { useFirstStep } from '#lib/client/use-first-step.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { CallLines } from './CallLines.tsx';
import { HourFigures } from './HourFigures.tsx';
import { HourStrip } from './HourStrip.tsx';
import { NEWEST_CALLS, callsAddress, countInWords } from './hour-words.ts';
import { ToolRanking } from './ToolRanking.tsx';

/** The calls of the last hour: how many, how many failed, how fast; the tools behind that; the newest ones. */
export function CallsPanel() {
  const newest = useInfiniteQuery(queries.calls({}, NEWEST_CALLS));
  const hour = useQuery(lastHourQuery());
  const firstStep = useFirstStep();
  const calls = newest.data?.pages[0]?.calls;

  if (calls === undefined) {
    return (
      <Panel title="Calls">
        {newest.error === null ? (
          <Skeleton lines={6} label="Reading the calls…" />
        ) : (
          <ErrorState
            title="The calls could not be read"
            detail={messageOf(newest.error)}
            onRetry={() => void newest.refetch()}
            retrying={newest.isFetching}
          />
        )}
      </Panel>
    );
  }
  if (calls.length === 0) {
    return (
      <Panel title="Calls">
        <EmptyState
          title="No calls yet"
          actions={
            <Button asChild>
              <ListLink href={firstStep.href}>{firstStep.label}</ListLink>
            </Button>
          }
        >
          {firstStep.obstacle ??
            'Every call of a tool, from this page, from a script or from an agent, is recorded with its arguments, result and logs.'}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel
      title="Calls of the last hour"
      flush
      actions={
        <ListLink href={PAGES.calls} className="rounded-sm text-sm underline underline-offset-2">
          Show all calls
        </ListLink>
      }
    >
      {hour.data === undefined ? (
        hour.error === null ? (
          // As much room as the count of a busy server takes, so that the newest calls stand where they will.
          <div className="min-h-128 border-b md:min-h-84">
            <Skeleton lines={5} label="Counting the calls…" />
          </div>
        ) : (
          <ErrorState
            className="m-4"
            title="The calls could not be counted"
            detail={messageOf(hour.error)}
            onRetry={() => void hour.refetch()}
            retrying={hour.isFetching}
          />
        )
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
        None in the last hour
        {hour.previous.calls === 0 ? (
          ', and none in the hour before.'
        ) : (
          <>
            ;{' '}
            <ListLink href={callsAddress({ since: hour.before, until: hour.since })} className="rounded-sm underline underline-offset-2">
              {countInWords(hour.previous.calls)} in the hour before
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
