import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'No such channel' };

export default function ChannelNotFound() {
  return (
    <NothingHere title="There is no channel of this name" ways={[{ href: PAGES.channels, words: 'Show the channels' }]}>
      Its file is not in the folder channels of the extensions, did not load and never had a message, or the address has a typing error.
    </NothingHere>
  );
}
