'use client';

import Link from 'next/link';
import { useEffect, useRef } from 'react';
import { usePathname } from 'next/navigation';
import { Button } from '#components/ui/Button.tsx';
import { ErrorReference, ErrorState } from '#components/ui/ErrorState.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** In place of a page that broke; the frame around it, with the ways to the other pages, stays. */
export default function PageError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  const isOverview = usePathname() === PAGES.overview;
  // Who works by keys and ears is where something happened, and not on a page that is gone.
  useEffect(() => title.current?.focus(), []);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <h1 ref={title} tabIndex={-1} className="sr-only">
        This page could not be shown
      </h1>
      <ErrorState
        title="This page could not be shown"
        detail={
          <>
            <p>{error.digest === undefined ? messageOf(error) : 'The server failed while it made this page. Its log has the error.'}</p>
            <ErrorReference digest={error.digest} />
          </>
        }
        onRetry={retry}
      />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
        {isOverview ? null : (
          <Button asChild>
            <Link href={PAGES.overview}>Go to Overview</Link>
          </Button>
        )}
      </div>
    </div>
  );
}
