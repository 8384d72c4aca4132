import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { FailuresView } from '#components/failures/FailuresView.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { FAILURES_A_PAGE, failureQueries } from '#lib/client/failure-queries.ts';
import { firstPage } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { GROUP_STATUSES } from '#lib/contract/failure-group.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Failures' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function FailuresPage({ searchParams }: Props) {
  const { status, failure, ...narrowed } = await searchParams;
  const host = currentHost();
  const client = createQueryClient();
  const isNarrowed = ['extension', 'who', 'regression', 'mentions', 'q'].some((name) => narrowed[name] !== undefined);
  // The browser loads filtered lists: only it knows whose failures are "mine".
  for (const shown of isNarrowed
    ? []
    : status === undefined
      ? (['open', 'acknowledged'] as const)
      : GROUP_STATUSES.filter((each) => each === status)) {
    const page = await host.failures.list({ status: shown, limit: FAILURES_A_PAGE });
    if (page.ok) client.setQueryData(failureQueries.list({ status: shown }).queryKey, firstPage(page.value));
  }
  const selected = typeof failure === 'string' ? await host.failures.get(failure) : null;
  if (selected?.ok === true && typeof failure === 'string') client.setQueryData(failureQueries.one(failure).queryKey, selected.value);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead title="Failures" note="Failed loads and crashes, grouped by cause" />
      <HydrationBoundary state={dehydrate(client)}>
        <FailuresView />
      </HydrationBoundary>
    </div>
  );
}
