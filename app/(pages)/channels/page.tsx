import type { Metadata } from 'next';
import { ChannelsView } from '#components/channels/ChannelsView.tsx';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Channels' };

/* The root layout prefetches the list. */
export default function ChannelsPage() {
  return <ChannelsView folder={currentHost().config.extensionsDir} />;
}
