import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <NothingHere
      title="There is nothing at this address"
      ways={[
        { href: PAGES.overview, words: 'Go to the overview' },
        { href: PAGES.extensions, words: 'Show the extensions' },
      ]}
    >
      What it names is not here (any more), or the address has a typing error. Search at the top finds tools, extensions and channels by
      their names.
    </NothingHere>
  );
}
