import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Channel not found' };

export default function ChannelNotFound() {
  return (
    <NothingHere title="Channel not found" ways={[{ href: PAGES.channels, words: 'Show channels' }]}>
      No loaded channel has this name, and no messages are stored for it. Check the address.
    </NothingHere>
  );
}
