import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ChannelDetail } from '#components/channels/ChannelDetail.tsx';
import { visibleText } from '#components/ui/visible-text.ts';
import { listTools } from '#lib/client/listed-tools.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { pageQuerySchema } from '#lib/contract/snapshot.ts';
import { currentHost } from '#lib/host/current-host.ts';

interface Props {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: visibleText(decodeURIComponent((await params).name)) };
}

export default async function ChannelPage({ params }: Props) {
  const name = decodeURIComponent((await params).name);
  const host = currentHost();
  const channel = await host.channels.get(name);
  // The messages of a channel outlive its file.
  const messages = await host.channels.messages(name, pageQuerySchema.parse({}));
  if (!channel.ok && !messages.ok) notFound();

  const client = createQueryClient();
  if (channel.ok) client.setQueryData(queries.channel(name).queryKey, channel.value);
  if (messages.ok) client.setQueryData(queries.messages(name).queryKey, firstPage(messages.value));
  client.setQueryData(queries.tools().queryKey, listTools(host.tools.list()));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ChannelDetail name={name} />
    </HydrationBoundary>
  );
}
