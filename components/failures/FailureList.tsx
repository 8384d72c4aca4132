'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { NewRows } from '#components/ui/NewRows.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { STATES } from '#components/ui/states.ts';
import { useSteadyRows } from '#components/ui/use-steady-rows.ts';
import type { Hand } from '#components/ui/use-steady-rows.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { FailureListFilter } from '#lib/client/failure-queries.ts';
import type { GroupStatus } from '#lib/contract/failure-group.ts';
import { foldByCause } from './cause-folds.ts';
import { CauseFoldRow } from './CauseFoldRow.tsx';
import { FailureRow } from './FailureRow.tsx';
import type { FailureRowProps } from './FailureRow.tsx';

export interface FailureListProps extends Omit<FailureRowProps, 'group' | 'selected'> {
  status: GroupStatus;
  filter: Omit<FailureListFilter, 'status'>;
  selected: string | null;
  /** Of all lists together: those above move those below. */
  hand: Hand;
  isAboveRows: boolean;
}

/** The failures of one status, the latest seen first; nothing at all when there is none. */
export function FailureList({ status, filter, selected, hand, isAboveRows, ...row }: FailureListProps) {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isFetching } = useInfiniteQuery(
    failureQueries.list({ ...filter, status }),
  );
  const all = useMemo(() => data?.pages.flatMap((page) => page.groups) ?? [], [data]);
  const list = JSON.stringify({ ...filter, status, isRead: data !== undefined });
  const { rows: groups, waiting, showAll } = useSteadyRows(all, { list, hand, isAboveRows });
  if (isPending) return <Skeleton lines={4} label="Reading the failures…" />;
  if (data === undefined)
    return (
      <ErrorState
        title="The failures could not be read"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
        className="m-4"
      />
    );
  if (groups.length === 0) return <NewRows count={waiting} onShow={showAll} />;
  return (
    <section aria-label={`${STATES[status].word} failures`} className="flex min-w-0 flex-col">
      <NewRows count={waiting} onShow={showAll} />
      <h2 className="border-b bg-panel px-4 py-2 text-sm font-semibold">
        {STATES[status].word} <span className="tabular font-normal text-muted">{hasNextPage ? `${groups.length}+` : groups.length}</span>
      </h2>
      <ol className="flex min-w-0 flex-col divide-y border-b">
        {foldByCause(groups).map((fold) =>
          fold.others.length === 0 ? (
            <FailureRow key={fold.first.id} group={fold.first} selected={fold.first.id === selected} {...row} />
          ) : (
            <CauseFoldRow key={fold.id} fold={fold} selected={selected} {...row} />
          ),
        )}
      </ol>
      {hasNextPage ? (
        <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()} className="m-3 self-center">
          Show older ones
        </Button>
      ) : null}
    </section>
  );
}
