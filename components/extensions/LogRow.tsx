'use client';

import Link from 'next/link';
import { memo } from 'react';
import { cx } from '#components/ui/cx.ts';
import { ClockTime } from '#components/ui/RelativeTime.tsx';
import type { LogEntry } from '#lib/client/extension-queries.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

export const LEVEL_WORDS = { error: 'Error', warn: 'Warning', info: 'Info', debug: 'Debug' } as const satisfies Record<LogLevel, string>;
const LOOK = { error: 'text-failed', warn: 'text-degraded', info: 'text-muted', debug: 'text-muted' } as const;

/** Rendered again only when it is another entry: a tail grows by a few lines, and keeps thousands. */
export const LogRow = memo(function LogRow({ entry }: { entry: LogEntry }) {
  if (entry.kind !== 'line') {
    return (
      <li className="my-1 border-y bg-subtle px-4 py-1 text-xs text-muted">
        {entry.kind === 'revision'
          ? entry.revision === null
            ? 'Nothing serves from here on'
            : `Revision ${entry.revision} from here on`
          : `${entry.count} ${entry.count === 1 ? 'line was' : 'lines were'} no longer kept when this page asked; the newest 64 KiB are`}
      </li>
    );
  }
  const { line } = entry;
  return (
    <li className="grid grid-cols-[7.25rem_4rem_minmax(0,1fr)_auto] gap-x-2 px-4 py-0.5 text-sm hover:bg-hover max-sm:grid-cols-[auto_1fr_auto] max-sm:py-1">
      <ClockTime time={line.time} className="text-xs leading-5 whitespace-nowrap text-muted" />
      <span className={cx('text-xs leading-5 font-medium', LOOK[line.level])}>{LEVEL_WORDS[line.level]}</span>
      <code className="foreign min-w-0 leading-5 max-sm:order-last max-sm:col-span-3">
        {line.stream === 'host' ? <span className="mr-2 font-sans text-xs text-muted">Noted by the server:</span> : null}
        {line.message}
      </code>
      {line.call_id === null ? null : (
        <Link href={PAGES.call(line.call_id)} className="rounded-sm text-xs leading-5 text-muted underline underline-offset-2">
          call<span className="sr-only"> in which it was logged</span>
        </Link>
      )}
    </li>
  );
});
