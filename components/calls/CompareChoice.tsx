'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { argumentsInLine } from './call-words.ts';

/** With which call one is compared: the other calls of its tool. */
export function CompareChoice({ call }: { call: Call }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(queries.calls({ tool: call.tool }));
  const others = data?.pages.flatMap((page) => page.calls).filter((other) => other.id !== call.id);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <PageHead
        title="Compare with which call?"
        note={
          <>
            The first is{' '}
            <Link href={PAGES.call(call.id)} className="rounded-sm underline underline-offset-2">
              {call.tool}
            </Link>
            , <RelativeTime time={call.started_at} />. Choose the second among the other calls of this tool.
          </>
        }
      />
      <Panel title={`Calls of ${call.tool}`} flush>
        {others === undefined ? (
          error === null ? (
            <Skeleton lines={5} label="Reading the calls…" />
          ) : (
            <p className="foreign p-4 text-sm text-failed">{messageOf(error)}</p>
          )
        ) : others.length === 0 ? (
          <EmptyState title="It is the only call of this tool">
            Replay it, or run the tool with other arguments; then compare the two.
          </EmptyState>
        ) : (
          <ol className="divide-y text-sm">
            {others.map((other) => (
              <li key={other.id}>
                <ListLink
                  href={PAGES.compareCalls(call.id, other.id)}
                  className="focus-inset grid grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1.5 hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto]"
                >
                  <StateText state={other.status} />
                  <code className="truncate text-xs text-muted max-sm:order-last max-sm:col-span-2">
                    {argumentsInLine(other) || 'no arguments'}
                  </code>
                  <span className="tabular flex gap-3 whitespace-nowrap text-muted">
                    <Duration ms={other.duration_ms} />
                    <RelativeTime time={other.started_at} className="w-19 text-right" />
                  </span>
                </ListLink>
              </li>
            ))}
          </ol>
        )}
        {hasNextPage ? (
          <div className="flex justify-center border-t p-3">
            <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older calls
            </Button>
          </div>
        ) : null}
      </Panel>
    </div>
  );
}
