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

/** The last changes of the set of extensions, as a panel of the overview. */
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
          <Skeleton lines={6} label="Reading the last changes…" />
        ) : (
          <ErrorState
            className="m-4"
            title="The last changes could not be read"
            detail={messageOf(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        )
      ) : snapshots.length === 0 ? (
        <p className="px-4 py-3 text-muted">
          Nothing yet. Each saved file, reload and restart that changes the set of extensions is listed here.
        </p>
      ) : (
        <ChangeList snapshots={snapshots} />
      )}
    </Panel>
  );
}
