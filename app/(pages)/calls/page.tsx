import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { CallsView } from '#components/calls/CallsView.tsx';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { callFilterSchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Calls' };

const FILTERS = ['q', 'status', 'source', 'tool', 'extension', 'actor', 'error_kind', 'revision', 'min_ms', 'since', 'until'] as const;

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function CallsPage({ searchParams }: Props) {
  const given = await searchParams;
  const host = currentHost();
  const client = createQueryClient();
  client.setQueryData(queries.tools().queryKey, host.tools.list());
  // An address that was written by hand may hold what the API refuses; the browser then asks and says so.
  const filter = callFilterSchema.safeParse(Object.fromEntries(FILTERS.map((name) => [name, given[name] || undefined])));
  if (filter.success) {
    const page = host.calls.list(filter.data);
    const { cursor: _cursor, limit, ...narrowed } = filter.data;
    if (page.ok) client.setQueryData(queries.calls(narrowed, limit).queryKey, firstPage(page.value));
  }
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CallsView />
    </HydrationBoundary>
  );
}
