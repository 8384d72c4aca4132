'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { parseAsString, useQueryState, useQueryStates } from 'nuqs';
import { useCallback, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { SelectedPanel } from '#components/ui/SelectedPanel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { useBeside } from '#components/ui/use-beside.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { useHand } from '#components/ui/use-steady-rows.ts';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { FILTER_PARSERS, isFiltered, listFilterOf, statusesOf } from './failure-filter.ts';
import type { FilterValues } from './failure-filter.ts';
import { FailureFilters } from './FailureFilters.tsx';
import { FailureList } from './FailureList.tsx';
import { ReviewProvider, useReview } from './ReviewProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const FailureDetail = lazyPart(
  async () => (await import('./FailureDetail.tsx')).FailureDetail,
  <Skeleton lines={8} label="Reading the failure…" />,
);

/** The inbox: what is to be done first, worked through by keys. */
export function FailuresView() {
  return (
    <ReviewProvider>
      <Inbox />
    </ReviewProvider>
  );
}

function Inbox() {
  const review = useReview();
  const me = usePersonName();
  const [values, setValues] = useQueryStates(FILTER_PARSERS, { history: 'replace' });
  const [named, setNamed] = useQueryState('failure', parseAsString.withOptions({ history: 'replace' }));
  const beside = useBeside(named, PAGES.failure);
  // Where nothing stands beside the list the keys need a line all the same, and the address would lead to its page.
  const [line, setLine] = useState<string | null>(null);
  const selected = beside ? named : line;
  const setSelected = (id: string | null) => {
    if (beside) void setNamed(id);
    else setLine(id);
  };
  const { hand, props: handProps } = useHand();
  const filter = listFilterOf(values, me);
  const statuses = statusesOf(values);
  const lengths = useListLengths(statuses, filter);
  const change = useCallback((next: Partial<FilterValues>) => void setValues(next), [setValues]);

  /** Moves to the next or the previous line as it stands on the page. */
  function move(step: 1 | -1) {
    const lines = [...document.querySelectorAll<HTMLElement>('[data-failure]')];
    const at = lines.findIndex((line) => line.dataset['failure'] === selected);
    const next = lines[at === -1 ? 0 : Math.min(lines.length - 1, Math.max(0, at + step))];
    const link = next?.querySelector<HTMLElement>('a[href]');
    link?.focus();
    next?.scrollIntoView({ block: 'nearest' });
    if (next !== undefined) setSelected(next.dataset['failure'] ?? null);
  }

  function onSelected(act: (id: string) => void): () => void {
    return () => {
      if (selected !== null) act(selected);
    };
  }

  usePageKeys({
    j: () => move(1),
    k: () => move(-1),
    a: onSelected((id) => review.assignToMe([id])),
    e: onSelected((id) => review.change([id], { status: 'acknowledged' })),
    i: onSelected((id) => review.askToIgnore([id])),
    o: onSelected((id) => review.showSource(id)),
  });

  const row = {
    selected,
    filter,
    onOpen: (id: string) => {
      setSelected(id);
      return beside;
    },
    onFocus: setSelected,
    hand,
  };
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead title="Failures" note="What failed to load or broke while it ran, grouped by cause." />
      <FailureFilters values={values} me={me} onChange={change} />
      {review.problem === null ? null : <ErrorState title="That was not done" detail={review.problem} />}
      <div
        className="grid min-w-0 items-start gap-5 xl:data-[open=true]:grid-cols-[minmax(24rem,5fr)_minmax(0,7fr)]"
        data-open={beside && selected !== null}
      >
        <div className="min-w-0 overflow-clip rounded border bg-panel" {...handProps}>
          {statuses.map((status, at) => (
            <FailureList key={status} status={status} isAboveRows={at === 0 && statuses.length > 1 && lengths[1] !== 0} {...row} />
          ))}
          {lengths.every((length) => length === 0) ? <Nothing values={values} onClear={() => void setValues(null)} /> : null}
        </div>
        {beside && selected !== null ? (
          <SelectedPanel noun="failure" onClose={() => setSelected(null)}>
            <FailureDetail key={selected} id={selected} inPanel />
          </SelectedPanel>
        ) : null}
      </div>
    </div>
  );
}

function Nothing({ values, onClear }: { values: FilterValues; onClear: () => void }) {
  const counts = useQuery(failureQueries.counts()).data;
  if (isFiltered(values)) {
    return (
      <EmptyState
        title="No failure fits"
        icon={<CircleCheck aria-hidden />}
        actions={<Button onClick={onClear}>Show what is to be done</Button>}
      >
        Take a filter away.
      </EmptyState>
    );
  }
  const past = counts === undefined ? 0 : counts.resolved + counts.ignored;
  return (
    <EmptyState title="Nothing needs you" icon={<CircleCheck aria-hidden className="text-ok" />}>
      {past === 0
        ? 'An extension that fails to load, or breaks while it runs, appears here with its place in the source and what changed since it worked.'
        : `No failure is open. ${past} ${past === 1 ? 'is' : 'are'} resolved or ignored.`}
    </EmptyState>
  );
}

/** Of the lists on the page, from above; null for one that has not been read. */
function useListLengths(statuses: ReturnType<typeof statusesOf>, filter: ReturnType<typeof listFilterOf>): readonly (number | null)[] {
  const first = useListLength(statuses[0] ?? 'open', filter);
  const second = useListLength(statuses[1] ?? statuses[0] ?? 'open', filter);
  return [first, second];
}

function useListLength(status: ReturnType<typeof statusesOf>[number], filter: ReturnType<typeof listFilterOf>): number | null {
  const { data } = useInfiniteQuery(failureQueries.list({ ...filter, status }));
  return data === undefined ? null : data.pages.reduce((sum, page) => sum + page.groups.length, 0);
}
