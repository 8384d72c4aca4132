'use client';

import { useQuery } from '@tanstack/react-query';
import { cx } from '#components/ui/cx.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';

const MOST = 99;

/**
 * Number of open failures, and in a team those that mention the person. Renders nothing for zero.
 * @param tight shows only one of the two: always, or below 1024 px
 */
export function OpenCount({ tight, className }: { tight?: 'always' | 'below-lg'; className?: string }) {
  const { open = 0, needs_you: mentioned = 0 } = useQuery(failureQueries.counts()).data ?? {};
  if (open === 0 && mentioned === 0) return null;
  return (
    <span className={cx('flex gap-1', className)}>
      {mentioned === 0 ? null : (
        <span className="tabular rounded-full bg-accent px-1.5 text-xs leading-4 font-medium text-accent-fg">
          <span aria-hidden>@{short(mentioned)}</span>
          <span className="sr-only">
            , {mentioned} {mentioned === 1 ? 'mentions' : 'mention'} you
          </span>
        </span>
      )}
      {open === 0 ? null : (
        <span
          className={cx(
            'tabular rounded-full bg-failed-soft px-1.5 text-xs leading-4 font-medium text-failed',
            mentioned === 0 ? '' : tight === 'always' ? 'sr-only' : tight === 'below-lg' ? 'max-lg:sr-only' : '',
          )}
        >
          <span aria-hidden>{short(open)}</span>
          <span className="sr-only">, {open} open</span>
        </span>
      )}
    </span>
  );
}

function short(count: number): string {
  return count > MOST ? `${MOST}+` : String(count);
}
