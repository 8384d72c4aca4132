import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'No such failure' };

export default function FailureNotFound() {
  return (
    <NothingHere title="There is no failure with this id" ways={[{ href: PAGES.failures, words: 'Show the failures' }]}>
      The address has a typing error, or the failure is from another data folder.
    </NothingHere>
  );
}
