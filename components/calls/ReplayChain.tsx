'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';

const LONGEST = 10;

/** The call that this one repeats, and the one that repeats, back to the first. */
export function ReplayChain({ id, depth = 1 }: { id: string; depth?: number }) {
  const { data: call, error } = useQuery(queries.call(id));
  return (
    <div className="flex flex-col gap-1.5 border-l-2 pl-3 text-sm">
      <Link href={PAGES.call(id)} className="flex flex-wrap items-center gap-x-3 rounded-sm hover:underline">
        {call === undefined ? (
          <code className="text-xs">…{id.slice(-8)}</code>
        ) : (
          <>
            <StateText state={call.status} />
            <RelativeTime time={call.started_at} className="text-muted" />
          </>
        )}
      </Link>
      {error === null ? null : <span className="text-muted">It is no longer in the history.</span>}
      {call === undefined || call.replay_of === null ? null : depth >= LONGEST ? (
        <span className="text-muted">and so on</span>
      ) : (
        <ReplayChain id={call.replay_of} depth={depth + 1} />
      )}
    </div>
  );
}
