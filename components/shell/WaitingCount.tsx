'use client';

import { useQuery } from '@tanstack/react-query';
import { cx } from '#components/ui/cx.ts';
import { queries } from '#lib/client/queries.ts';

const MOST = 99;

/** Number of queued and failed messages in all channels. Renders nothing for zero. */
export function WaitingCount({ className }: { className?: string }) {
  const { data } = useQuery(queries.channels());
  const count = (data?.channels ?? []).reduce((sum, channel) => sum + channel.queued + channel.failed, 0);
  if (count === 0) return null;
  return (
    <span className={cx('tabular rounded-full bg-degraded-soft px-1.5 text-xs leading-4 font-medium text-degraded', className)}>
      <span aria-hidden>{count > MOST ? `${MOST}+` : count}</span>
      <span className="sr-only">
        , {count} {count === 1 ? 'message waits' : 'messages wait'}
      </span>
    </span>
  );
}
