'use client';

import './globals.css';
import { useEffect } from 'react';
import { ErrorReference } from './ErrorReference.tsx';

/** `digest` of an error of the database. */
const STORAGE_UNAVAILABLE = 'storage_unavailable';
const RETRY_MS = 3_000;
const BUTTON = 'rounded border border-control-line bg-panel px-3 py-2 font-medium hover:bg-hover';

/** Replaces the entire document, so it uses only plain HTML. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  const isDatabaseDown = error.digest === STORAGE_UNAVAILABLE;
  useEffect(() => {
    if (!isDatabaseDown) return;
    const timer = setTimeout(() => window.location.reload(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [isDatabaseDown]);
  return (
    <html lang="en">
      <body className="flex flex-col items-start gap-3 p-6">
        <title>Error · Switchboard</title>
        <h1 className="text-xl font-semibold">{isDatabaseDown ? 'The database does not answer' : 'The dashboard could not be shown'}</h1>
        <p className="max-w-prose">
          {isDatabaseDown
            ? 'Switchboard tries to reach it and loads this page again automatically.'
            : 'The server is starting, stopping or failing. See its log. Extensions and calls are not affected.'}
        </p>
        {isDatabaseDown ? null : <ErrorReference digest={error.digest} />}
        <p className="flex flex-wrap gap-2">
          <button type="button" onClick={() => window.location.reload()} className={BUTTON}>
            Reload the page
          </button>
          {/* oxlint-disable-next-line next/no-html-link-for-pages -- a full navigation, since the running page is broken */}
          <a href="/" className={BUTTON}>
            Go to Overview
          </a>
        </p>
      </body>
    </html>
  );
}
