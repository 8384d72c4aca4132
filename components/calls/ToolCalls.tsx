'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { NewRows } from '#components/ui/NewRows.tsx';
import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { cx } from '#components/ui/cx.ts';
import { useHand, useSteadyRows } from '#components/ui/use-steady-rows.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { argumentsInLine } from './call-words.ts';

const SHOWN = 12;
const NONE: readonly Call[] = [];

/** The newest calls of one tool. Choosing one loads its arguments and shows its outcome. */
export function ToolCalls({ tool, open, onChoose }: { tool: string; open: string | null; onChoose: (call: Call) => void }) {
  const { data, error, isPending } = useInfiniteQuery(queries.calls({ tool }, SHOWN));
  const mayCall = useMay('tools.call');
  const { hand, props: handProps } = useHand();
  const { rows: calls, waiting, showAll } = useSteadyRows(data?.pages[0]?.calls ?? NONE, { list: tool, hand, keepsGone: true });
  if (isPending) return <Skeleton lines={3} label="Reading the calls…" />;
  if (error !== null && calls.length === 0) return <p className="foreign p-4 text-sm text-failed">{messageOf(error)}</p>;
  if (calls.length === 0)
    return (
      <p className="px-4 py-6 text-center text-sm text-muted">
        Nobody has called this tool yet.{mayCall ? ' Fill in the form and press Run.' : ''}
      </p>
    );
  return (
    <div {...handProps}>
      <NewRows count={waiting} onShow={showAll} />
      <ol className="divide-y text-sm">
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              aria-current={call.id === open || undefined}
              onClick={() => onChoose(call)}
              className={cx(
                'focus-inset grid w-full grid-cols-[minmax(0,1fr)_auto] items-center sm:max-lg:grid-cols-[7rem_minmax(0,1fr)_auto] 2xl:grid-cols-[7rem_minmax(0,1fr)_auto] gap-x-3 px-4 py-1.5 text-left hover:bg-hover pointer-coarse:py-2.5',
                call.id === open && 'bg-accent-soft',
              )}
            >
              <StateText state={call.status} />
              <code className="order-last col-span-2 truncate text-xs text-muted sm:max-lg:order-none sm:max-lg:col-span-1 2xl:order-none 2xl:col-span-1">
                {argumentsInLine(call) || 'no arguments'}
              </code>
              <span className="tabular flex items-center gap-3 whitespace-nowrap text-muted">
                {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
                <RelativeTime time={call.started_at} className="w-19 text-right" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {(data?.pages[0]?.next_cursor ?? null) === null ? null : (
        <p className="border-t px-4 py-2 text-sm">
          <Link href={`${PAGES.calls}?tool=${encodeURIComponent(tool)}`} className="rounded-sm underline underline-offset-2">
            All calls of this tool
          </Link>
        </p>
      )}
    </div>
  );
}
