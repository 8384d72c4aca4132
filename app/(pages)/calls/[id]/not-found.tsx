import type { Metadata } from 'next';
import { NothingHere } from '#components/shell/NothingHere.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Call not found' };

export default function CallNotFound() {
  return (
    <NothingHere title="Call not found" ways={[{ href: PAGES.calls, words: 'Show calls' }]}>
      Check the address. Old calls are deleted after the retention period.
    </NothingHere>
  );
}
