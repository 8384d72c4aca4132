import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <NothingHere
      title="Page not found"
      ways={[
        { href: PAGES.overview, words: 'Go to Overview' },
        { href: PAGES.extensions, words: 'Show extensions' },
      ]}
    >
      It was removed, or the address is wrong. Use the search at the top to find tools, extensions and channels.
    </NothingHere>
  );
}
