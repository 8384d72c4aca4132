import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'No such call' };

export default function CallNotFound() {
  return (
    <NothingHere title="There is no call with this id" ways={[{ href: PAGES.calls, words: 'Show the calls' }]}>
      The address has a typing error, or the call is so old that it is no longer kept.
    </NothingHere>
  );
}
