'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChangeList } from './ChangeList.tsx';

const SHOWN = 6;

export function LastChanges() {
  const { data, error, refetch, isFetching } = useInfiniteQuery(queries.snapshots());
  const snapshots = data?.pages[0]?.snapshots.slice(0, SHOWN);
  return (
    <Panel
      title="Last changes"
      flush
      actions={
        <Link href={PAGES.timeline} className="rounded-sm text-sm underline underline-offset-2">
          Timeline
        </Link>
      }
    >
      {snapshots === undefined ? (
        error === null ? (
          <Skeleton lines={6} label="Loading…" />
        ) : (
          <ErrorState
            className="m-4"
            title="Could not load the last changes"
            detail={messageOf(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        )
      ) : snapshots.length === 0 ? (
        <p className="px-4 py-3 text-muted">No changes yet. Saved files, reloads and restarts that change the extensions appear here.</p>
      ) : (
        <ChangeList snapshots={snapshots} />
      )}
    </Panel>
  );
}
