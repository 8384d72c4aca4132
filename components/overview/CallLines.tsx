'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { NewRows } from '#components/ui/NewRows.tsx';
import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { useHand, useSteadyRows } from '#components/ui/use-steady-rows.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** A few calls, one line each; the line leads to the call. */
export function CallLines({ calls }: { calls: readonly Call[] }) {
  const { hand, props: handProps } = useHand();
  const { rows, waiting, showAll } = useSteadyRows(calls, { list: '', hand, keepsGone: true });
  return (
    <div {...handProps}>
      <NewRows count={waiting} onShow={showAll} />
      <ol className="divide-y text-sm">
        {rows.map((call) => (
          <li
            key={call.id}
            className="relative grid grid-cols-[6.5rem_minmax(0,1fr)_auto_5rem] items-center gap-x-3 px-4 py-1.5 hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:py-2"
          >
            <StateText state={call.status} className="max-sm:order-2 max-sm:justify-self-end" />
            <span className="flex min-w-0 items-baseline gap-2 max-sm:order-1">
              <ListLink
                href={PAGES.call(call.id)}
                title={call.tool}
                className="focus-inset truncate lg:max-w-3/5 lg:shrink-0 rounded-sm font-medium row-link hover:underline"
              >
                {call.tool}
              </ListLink>
              <span className="truncate text-muted max-lg:hidden" title={call.error?.message}>
                {call.error?.message ?? call.actor}
              </span>
            </span>
            <span className="tabular text-right whitespace-nowrap text-muted max-sm:order-4">
              {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
            </span>
            <RelativeTime time={call.started_at} className="text-right whitespace-nowrap text-muted max-sm:order-3 max-sm:text-left" />
          </li>
        ))}
      </ol>
    </div>
  );
}
