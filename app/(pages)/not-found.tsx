import type { Metadata } from 'next';
import Link from 'next/link';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { PAGES } from '#lib/contract/paths.ts';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        className="m-auto"
        title="There is nothing at this address"
        actions={
          <>
            <Button asChild variant="primary">
              <Link href={PAGES.overview}>Go to the overview</Link>
            </Button>
            <Button asChild>
              <Link href={PAGES.extensions}>Show the extensions</Link>
            </Button>
          </>
        }
      >
        The extension, tool or call it names is not here (any more), or the address has a typing error. Press Ctrl-K to find something by
        its name.
      </EmptyState>
    </>
  );
}
