'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import Link from 'next/link';
import { parseAsString, useQueryState, useQueryStates } from 'nuqs';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { NewRows } from '#components/ui/NewRows.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { SelectedPanel } from '#components/ui/SelectedPanel.tsx';
import { useBeside } from '#components/ui/use-beside.ts';
import { useHand, useSteadyRows } from '#components/ui/use-steady-rows.ts';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { useFirstStep } from '#lib/client/use-first-step.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { FILTER_PARSERS, isFiltered, listFilterOf } from './call-filter.ts';
import type { FilterValues } from './call-filter.ts';
import { CallFilters } from './CallFilters.tsx';
import { CallRows } from './CallRows.tsx';
import { columnMemory } from './call-columns.ts';
import { HistoryStrip } from './HistoryStrip.tsx';
import { ListEnd } from './ListEnd.tsx';
import { ColumnChoice, ExportMenu } from './ListMenu.tsx';
import { useSeen } from './use-seen.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const CallDetail = lazyPart(async () => (await import('./CallDetail.tsx')).CallDetail, <Skeleton lines={8} label="Reading the call…" />);

/** Every call, newest first, without end. What is new appears at once to who is on top and not in the list, else under a button. */
export function CallsView() {
  const [values, setValues] = useQueryStates(FILTER_PARSERS, { history: 'replace' });
  const [selected, setSelected] = useQueryState('call', parseAsString.withOptions({ history: 'replace' }));
  const beside = useBeside(selected, PAGES.call);
  const filter = listFilterOf(values);
  const { data, error, isPending, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage, refetch, isFetching } =
    useInfiniteQuery(queries.calls(filter));
  const all = useMemo(() => data?.pages.flatMap((page) => page.calls) ?? [], [data]);

  const ids = useMemo(() => all.map((call) => call.id), [all]);
  const list = JSON.stringify(filter);
  const { waiting, showAll } = useSeen(list, ids);
  const seen = useMemo(() => all.slice(waiting), [all, waiting]);
  const { hand, props: handProps } = useHand();
  const steady = useSteadyRows(seen, { list, hand, keepsGone: true });
  const calls = steady.rows;

  const readOlder = useCallback(() => void fetchNextPage().catch(() => undefined), [fetchNextPage]);
  // A page that could not be read is asked for again by whoever wants it, not without end.
  const goesOn = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const nearEnd = useCallback(() => {
    if (goesOn) readOlder();
  }, [goesOn, readOlder]);

  const columns = useSyncExternalStore(columnMemory.subscribe, columnMemory.current, columnMemory.atFirst);
  const showSpan = useCallback(
    (span: { since: Date; until: Date } | null) => void setValues(span ?? { since: null, until: null }, { history: 'push' }),
    [setValues],
  );
  // What was chosen is a step that Back takes back; letters that are typed are not.
  const change = useCallback(
    (next: Partial<FilterValues>) => void setValues(next, { history: 'q' in next ? 'replace' : 'push' }),
    [setValues],
  );

  const isOpen = selected !== null;
  const select = useCallback(
    (id: string) => {
      if (beside) void setSelected(id, { history: isOpen ? 'replace' : 'push' });
      return beside;
    },
    [beside, isOpen, setSelected],
  );

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Calls"
        note="Every call of every tool, newest first."
        actions={
          <>
            <ColumnChoice shown={columns} onChange={columnMemory.set} />
            <ExportMenu filter={filter} />
          </>
        }
      />
      <CallFilters values={values} onChange={change} />
      <HistoryStrip filter={filter} onSpan={showSpan} />
      <div
        className="grid min-w-0 items-start gap-5 xl:data-[open=true]:grid-cols-[minmax(0,1fr)_minmax(24rem,32rem)]"
        data-open={beside && selected !== null}
      >
        <section aria-label="Calls" className="relative min-w-0 rounded border bg-panel" {...handProps}>
          <NewRows
            count={waiting + steady.waiting}
            onShow={() => {
              showAll();
              steady.showAll();
              window.scrollTo({ top: 0 });
            }}
          />
          {isPending ? (
            <Skeleton lines={8} label="Reading the calls…" />
          ) : data === undefined ? (
            <ErrorState
              title="The calls could not be read"
              detail={messageOf(error)}
              onRetry={() => void refetch()}
              retrying={isFetching}
              className="m-4"
            />
          ) : calls.length === 0 ? (
            <Nothing filtered={isFiltered(values)} search={values.q ?? ''} onClear={() => void setValues(null, { history: 'push' })} />
          ) : (
            <>
              <CallRows calls={calls} columns={columns} selected={beside ? selected : null} onSelect={select} onNearEnd={nearEnd} />
              <ListEnd
                count={all.length}
                state={isFetchingNextPage ? 'reading' : isFetchNextPageError ? 'failed' : hasNextPage ? 'more' : 'whole'}
                problem={isFetchNextPageError ? messageOf(error) : ''}
                onRetry={readOlder}
              />
            </>
          )}
        </section>
        {beside && selected !== null ? (
          <SelectedPanel noun="call" onClose={() => void setSelected(null)}>
            <CallDetail key={selected} id={selected} inPanel />
          </SelectedPanel>
        ) : null}
      </div>
    </div>
  );
}

function Nothing({ filtered, search, onClear }: { filtered: boolean; search: string; onClear: () => void }) {
  const hasNoWord = search.trim() !== '' && !/[\p{L}\p{N}]/u.test(search);
  const firstStep = useFirstStep();
  if (filtered) {
    return (
      <EmptyState title="No call fits" icon={<Activity aria-hidden />} actions={<Button onClick={onClear}>Show all calls</Button>}>
        {hasNoWord
          ? 'The search looks for words, which are made of letters and digits; what was typed has none.'
          : 'Take a filter away, or widen the time.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="Nothing has been called yet"
      icon={<Activity aria-hidden />}
      actions={
        <Button asChild>
          <Link href={firstStep.href}>{firstStep.label}</Link>
        </Button>
      }
    >
      {firstStep.obstacle ?? 'Every call is kept here, whoever made it: people, scripts and agents.'}
    </EmptyState>
  );
}
