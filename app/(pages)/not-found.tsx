import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <NothingHere
      title="Page not found"
      ways={[
        { href: PAGES.overview, words: 'Go to the overview' },
        { href: PAGES.extensions, words: 'Show the extensions' },
      ]}
    >
      It was removed, or the address is wrong. Use the search at the top to find tools, extensions and channels.
    </NothingHere>
  );
}
