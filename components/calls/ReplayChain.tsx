'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Section } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
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
      {error === null || call !== undefined ? null : (
        <span className="text-muted">
          {hasProblemCode(error, 'call_not_found') ? 'It is no longer in the history.' : `It could not be read. ${messageOf(error)}`}
        </span>
      )}
      {call === undefined || call.replay_of === null ? null : depth >= LONGEST ? (
        <span className="text-muted">and so on</span>
      ) : (
        <ReplayChain id={call.replay_of} depth={depth + 1} />
      )}
    </div>
  );
}

const SHOWN = 10;

/** The calls that repeat this one, newest first; nothing where there are none. */
export function ReplaysOf({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useInfiniteQuery(queries.calls({ replay_of: id }, SHOWN));
  const [first] = data?.pages ?? [];
  if (first === undefined && error !== null)
    return (
      <ErrorState title="Its replays could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  if (first === undefined || first.calls.length === 0) return null;
  return (
    <Section title="Replays">
      <ul aria-label="Replays" className="flex flex-col gap-1.5 border-l-2 pl-3 text-sm">
        {first.calls.map((call) => (
          <li key={call.id}>
            <Link href={PAGES.call(call.id)} className="flex flex-wrap items-center gap-x-3 rounded-sm hover:underline">
              <StateText state={call.status} />
              <RelativeTime time={call.started_at} className="text-muted" />
            </Link>
          </li>
        ))}
      </ul>
      {first.next_cursor === null ? null : (
        <Link
          href={`${PAGES.calls}?${new URLSearchParams({ replay_of: id })}`}
          className="w-fit rounded-sm text-sm underline underline-offset-2"
        >
          All of its replays
        </Link>
      )}
    </Section>
  );
}
