import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { previewOf } from '#components/calls/call-words.ts';
import { CallDetail } from '#components/calls/CallDetail.tsx';
import { visibleText } from '#components/ui/visible-text.ts';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

interface Props {
  params: Promise<{ id: string }>;
}

/** One read for title and page: a call may have megabytes. */
const readCall = cache((id: string) => currentHost().calls.get(id));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const call = await readCall(decodeURIComponent((await params).id));
  return { title: call.ok ? visibleText(`Call of ${call.value.tool}`) : 'Call' };
}

export default async function CallPage({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  const call = await readCall(id);
  if (!call.ok) notFound();

  const client = createQueryClient();
  const preview = previewOf(call.value);
  if (preview === null) client.setQueryData(queries.call(id).queryKey, call.value);
  const tool = currentHost().tools.get(call.value.tool);
  if (tool.ok) client.setQueryData(queries.tool(call.value.tool).queryKey, tool.value);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CallDetail id={id} preview={preview} />
    </HydrationBoundary>
  );
}
