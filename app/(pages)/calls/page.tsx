import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { CallsView } from '#components/calls/CallsView.tsx';
import { callStatsQuery } from '#lib/client/call-stats-queries.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { callFilterSchema } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { atOnce } from '../prefetch.ts';

export const metadata: Metadata = { title: 'Calls' };

const FILTERS = [
  'q',
  'status',
  'source',
  'tool',
  'extension',
  'actor',
  'replay_of',
  'error_kind',
  'revision',
  'min_ms',
  'max_ms',
  'since',
  'until',
] as const;

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function CallsPage({ searchParams }: Props) {
  const given = await searchParams;
  const host = currentHost();
  const client = createQueryClient();
  // A hand-written address may have invalid filters; the browser then requests them and shows the error.
  const filter = callFilterSchema.safeParse(Object.fromEntries(FILTERS.map((name) => [name, given[name] || undefined])));
  if (filter.success) {
    const page = await host.calls.list(filter.data);
    const { cursor: _cursor, limit, ...narrowed } = filter.data;
    if (page.ok) client.setQueryData(queries.calls(narrowed, limit).queryKey, firstPage(page.value));
    const stats = await atOnce(host.calls.stats({ ...narrowed, buckets: LIMITS.statsBuckets }));
    if (stats?.ok === true) client.setQueryData(callStatsQuery(narrowed).queryKey, stats.value);
  }
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CallsView />
    </HydrationBoundary>
  );
}
