import type { Metadata } from 'next';
import { ChannelsView } from '#components/channels/ChannelsView.tsx';
import { EXAMPLE_CHANNEL } from '#components/channels/example-channel.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { CORE_EXTENSION } from '#lib/contract/extension-states.ts';
import { prefetchExample } from '../prefetch.ts';

export const metadata: Metadata = { title: 'Channels' };

/* The root layout prefetches the list. */
export default async function ChannelsPage() {
  const host = currentHost();
  const { channels } = await host.channels.list();
  const own = channels.some((channel) => channel.extension !== CORE_EXTENSION);
  return <ChannelsView folder={host.config.extensionsDir} exampleLines={own ? null : await prefetchExample(EXAMPLE_CHANNEL)} />;
}
