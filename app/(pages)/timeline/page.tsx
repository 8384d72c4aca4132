import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { TimelineView } from '#components/timeline/TimelineView.tsx';
import { VERSIONS_A_PAGE } from '#components/timeline/timeline-filter.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { snapshotFilterSchema } from '#lib/contract/snapshot.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Timeline' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function TimelinePage({ searchParams }: Props) {
  const { extension, version } = await searchParams;
  const host = currentHost();
  const client = createQueryClient();
  const filter = snapshotFilterSchema.safeParse({
    limit: VERSIONS_A_PAGE,
    extension: extension === '' ? undefined : extension,
    changes_only: 'true',
  });
  const page = filter.success ? await host.snapshots.list(filter.data) : null;
  if (filter.success && page?.ok === true)
    client.setQueryData(queries.snapshots(VERSIONS_A_PAGE, filter.data.extension).queryKey, firstPage(page.value));
  const number = typeof version === 'string' && /^\d{1,15}$/.test(version) ? Number(version) : null;
  const one = number === null ? null : await host.snapshots.get(number);
  if (number !== null && one?.ok === true) client.setQueryData(queries.snapshot(number).queryKey, one.value);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <TimelineView />
    </HydrationBoundary>
  );
}
