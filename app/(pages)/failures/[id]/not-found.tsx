import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Failure not found' };

export default function FailureNotFound() {
  return (
    <NothingHere title="Failure not found" ways={[{ href: PAGES.failures, words: 'Show failures' }]}>
      Check the address. The failure may be in another data folder.
    </NothingHere>
  );
}
