'use client';

import { useEffect, useRef } from 'react';
import { usePathname } from 'next/navigation';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { ErrorReference } from '../ErrorReference.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** `digest` of an error of the database. */
const STORAGE_UNAVAILABLE = 'storage_unavailable';
const RETRY_MS = 3_000;

/** Error page within the app frame. Loaded with every page. */
export default function PageError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  const isDatabaseDown = error.digest === STORAGE_UNAVAILABLE;
  const isOverview = usePathname() === PAGES.overview;
  // Moves the focus to the error, since the focused element may be gone.
  useEffect(() => title.current?.focus(), []);
  useEffect(() => {
    if (!isDatabaseDown) return;
    const timer = setInterval(retry, RETRY_MS);
    return () => clearInterval(timer);
  }, [isDatabaseDown, retry]);
  return (
    <div className="flex min-w-0 flex-col items-start gap-4">
      <div role="alert" className="flex flex-col gap-2 self-stretch rounded border border-failed/40 bg-failed-soft px-4 py-3">
        <h1 ref={title} tabIndex={-1} className="text-base font-medium text-failed outline-none">
          {isDatabaseDown ? 'The database does not answer' : 'This page could not be shown'}
        </h1>
        <p className="foreign">
          {isDatabaseDown
            ? 'Switchboard tries to reach it, and shows this page as soon as it answers.'
            : error.digest === undefined
              ? messageOf(error)
              : 'The server failed to render this page. See the server log for the error.'}
        </p>
        {isDatabaseDown ? null : <ErrorReference digest={error.digest} />}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={retry}>Try again</Button>
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
        {isOverview ? null : <LinkButton href={PAGES.overview}>Go to Overview</LinkButton>}
      </div>
    </div>
  );
}
