'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/Badge.tsx';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function ExtensionFailures({ id }: { id: string }) {
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    failureQueries.list({ extension: id }),
  );
  const groups = data?.pages.flatMap((page) => page.groups);
  if (groups === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the failures" lines={5} inset />;
  if (groups.length === 0) {
    return <EmptyState title="No failures yet">Failed loads and crashes appear here.</EmptyState>;
  }
  return (
    <>
      <ul className="divide-y">
        {groups.map((group) => (
          <li key={group.id} className="relative flex flex-col gap-1 px-4 py-2 hover:bg-hover">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <StateBadge state={group.status} />
              {group.regression ? <StateBadge state="failed" word="Regression" /> : null}
              <code className="text-xs text-muted">{group.code}</code>
              <span className="tabular ml-auto text-sm text-muted">
                {group.count === 1 ? 'once, ' : `${group.count} times, last `}
                <RelativeTime time={group.last_seen} />
              </span>
            </span>
            <Link
              href={PAGES.failure(group.id)}
              className="focus-inset foreign line-clamp-2 rounded-sm font-medium row-link hover:underline"
            >
              <CodeText text={group.title} />
            </Link>
            {group.assignee === null ? null : <span className="text-sm text-muted">Assigned to {group.assignee}</span>}
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-3 border-t px-4 py-2 text-sm">
        {hasNextPage ? (
          <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older failures
          </Button>
        ) : null}
        <Link href={`${PAGES.failures}?${new URLSearchParams({ extension: id })}`} className="link">
          Open in Failures
        </Link>
      </p>
    </>
  );
}
