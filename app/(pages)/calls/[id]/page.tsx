import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CallDetail } from '#components/calls/CallDetail.tsx';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const dynamic = 'force-dynamic';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const call = currentHost().calls.get(decodeURIComponent((await params).id));
  return { title: call.ok ? `Call of ${call.value.tool}` : 'Call' };
}

export default async function CallPage({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  const host = currentHost();
  const call = host.calls.get(id);
  if (!call.ok) notFound();

  const client = createQueryClient();
  client.setQueryData(queries.call(id).queryKey, call.value);
  const tool = host.tools.get(call.value.tool);
  if (tool.ok) client.setQueryData(queries.tool(call.value.tool).queryKey, tool.value);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CallDetail id={id} />
    </HydrationBoundary>
  );
}
