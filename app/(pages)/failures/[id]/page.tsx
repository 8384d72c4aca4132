import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound, redirect } from 'next/navigation';
import { FailurePage } from '#components/failures/FailureDetail.tsx';
import { visibleText } from '#components/ui/visible-text.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { currentHost } from '#lib/host/current-host.ts';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const group = await currentHost().failures.get(decodeURIComponent((await params).id));
  return { title: group.ok ? visibleText(`${group.value.extension}: ${group.value.title}`) : 'Failure' };
}

export default async function OneFailurePage({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  const host = currentHost();
  const group = await host.failures.get(id);
  if (!group.ok) notFound();
  // A merged group redirects to its new group.
  if (group.value.id !== id) redirect(PAGES.failure(group.value.id));

  const client = createQueryClient();
  client.setQueryData(failureQueries.one(id).queryKey, group.value);
  const changes = await host.failures.changes(id);
  if (changes.ok) client.setQueryData(failureQueries.changes(id).queryKey, changes.value);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <FailurePage id={id} />
    </HydrationBoundary>
  );
}
