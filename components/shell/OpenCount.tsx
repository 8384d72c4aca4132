'use client';

import { useQuery } from '@tanstack/react-query';
import { cx } from '#components/ui/cx.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';

const MOST = 99;

/** How many failures are open; nothing for none. */
export function OpenCount({ className }: { className?: string }) {
  const count = useQuery(failureQueries.counts()).data?.open ?? 0;
  if (count === 0) return null;
  return (
    <span className={cx('tabular rounded-full bg-failed-soft px-1.5 text-xs leading-4 font-medium text-failed', className)}>
      <span aria-hidden>{count > MOST ? `${MOST}+` : count}</span>
      <span className="sr-only">, {count} open</span>
    </span>
  );
}
