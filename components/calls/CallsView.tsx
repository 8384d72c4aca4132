'use client';

import { EmptyState, QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Activity, Columns3 } from 'lucide-react';
import { parseAsString, useQueryState, useQueryStates } from 'nuqs';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { Checkbox } from '#components/ui/Field.tsx';
import { NewRows, usePointerInside, useStableRows } from '#components/ui/stable-rows.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { ExportMenu } from '#components/ui/FilterRows.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { SelectedPanel, useSideBySide } from '#components/ui/SelectedPanel.tsx';
import { inThousands } from '#components/ui/numbers.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { exportAddress } from '#lib/client/call-stats-queries.ts';
import { aliveInstances, instancesQuery } from '#lib/client/instance-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { useFirstStep } from '#lib/client/use-first-step.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { CallFilters } from './CallFilters.tsx';
import { COLUMNS, CallRows, type ColumnKey, columnMemory, columnsFor } from './CallRows.tsx';
import { HistoryStrip } from './HistoryStrip.tsx';
import { FILTER_PARSERS, type FilterValues, isFiltered, listFilterOf, newerThan } from './call-filter.ts';

const ON_TOP_PX = 80;

interface Seen {
  readonly list: string;
  readonly id: string | null;
}

/** Survives a visit to a call: the list and its waiting rows are restored. */
let lastSeen: Seen = { list: '', id: null };

/** Number of new rows to hold back: 0 at the top of the page, else all rows that arrived since. */
function useHeldBackRows(list: string, ids: readonly string[]): { readonly waiting: number; readonly showAll: () => void } {
  const scrolled = useIsScrolled();
  const settled = useIsScrollRestored();
  const [seen, setSeen] = useState<Seen>(lastSeen);
  const newest = ids[0] ?? null;
  const held = scrolled || !settled;
  if (seen.list !== list || (seen.id !== newest && (!held || seen.id === null))) setSeen({ list, id: newest });
  useEffect(() => {
    lastSeen = seen;
  }, [seen]);
  return { waiting: held && seen.list === list ? newerThan(ids, seen.id) : 0, showAll: () => setSeen({ list, id: newest }) };
}

/** Updated on scroll: reading it during render would force a layout. */
let isScrolled = false;

function subscribeToScroll(changed: () => void): () => void {
  let reported = isScrolled;
  function update() {
    isScrolled = window.scrollY > ON_TOP_PX;
    if (reported === isScrolled) return;
    reported = isScrolled;
    changed();
  }
  update();
  window.addEventListener('scroll', update, { passive: true });
  return () => window.removeEventListener('scroll', update);
}

function useIsScrolled(): boolean {
  return useSyncExternalStore(
    subscribeToScroll,
    () => isScrolled,
    () => false,
  );
}

/** False until the browser has restored the scroll position. */
function useIsScrollRestored(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return settled;
}

const CallDetail = lazyPart(async () => (await import('./CallDetail.tsx')).CallDetail, <Skeleton lines={8} />);

export function CallsView() {
  const [values, setValues] = useQueryStates(FILTER_PARSERS, { history: 'replace' });
  const [selected, setSelected] = useQueryState('call', parseAsString.withOptions({ history: 'replace' }));
  const beside = useSideBySide(selected, PAGES.call);
  const filter = listFilterOf(values);
  const { data, error, isFetchingNextPage, isFetchNextPageError, hasNextPage, fetchNextPage, refetch, isFetching } = useInfiniteQuery(
    queries.calls(filter),
  );
  const all = useMemo(() => data?.pages.flatMap((page) => page.calls) ?? [], [data]);

  const ids = useMemo(() => all.map((call) => call.id), [all]);
  const list = JSON.stringify(filter);
  const { waiting, showAll } = useHeldBackRows(list, ids);
  const seen = useMemo(() => all.slice(waiting), [all, waiting]);
  const { pointer, props: pointerProps } = usePointerInside();
  const stable = useStableRows(seen, { list, pointer, keepsRemoved: true });
  const calls = stable.rows;

  const readOlder = useCallback(() => void fetchNextPage().catch(() => undefined), [fetchNextPage]);
  // A failed page is retried only on request.
  const canLoadMore = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const nearEnd = useCallback(() => {
    if (canLoadMore) readOlder();
  }, [canLoadMore, readOlder]);

  const chosen = useSyncExternalStore(columnMemory.subscribe, columnMemory.current, columnMemory.atFirst);
  const { data: alive = 1 } = useQuery({ ...instancesQuery(), select: aliveInstances });
  const columns = useMemo(() => columnsFor(chosen, alive > 1), [chosen, alive]);
  const showSpan = (span: { since: Date; until: Date } | null) => void setValues(span ?? { since: null, until: null }, { history: 'push' });
  const change = (next: Partial<FilterValues>) => void setValues(next, { history: 'push' });

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
        note="All calls, newest first"
        actions={
          <>
            <ColumnChoice shown={columns} areSeveral={alive > 1} onChange={columnMemory.set} />
            <ExportMenu what="calls" address={(format) => exportAddress(filter, format)} />
          </>
        }
      />
      <CallFilters values={values} onChange={change} />
      {data !== undefined && all.length === 0 ? null : <HistoryStrip filter={filter} onSpan={showSpan} />}
      <div
        className="grid min-w-0 items-start gap-4 xl:data-[open=true]:grid-cols-[minmax(0,1fr)_minmax(24rem,32rem)]"
        data-open={beside && selected !== null}
      >
        <section aria-label="Calls" className="relative min-w-0 rounded border bg-panel" {...pointerProps}>
          <NewRows
            count={waiting + stable.waiting}
            onShow={() => {
              showAll();
              stable.showAll();
              window.scrollTo({ top: 0 });
            }}
          />
          {data === undefined ? (
            <QueryState query={{ error, refetch, isFetching }} what="the calls" lines={8} inset />
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
  const hasNoLetters = search.trim() !== '' && !/[\p{L}\p{N}]/u.test(search);
  const firstStep = useFirstStep();
  if (filtered) {
    return (
      <EmptyState title="No matching calls" icon={<Activity />} actions={<Button onClick={onClear}>Show all calls</Button>}>
        {hasNoLetters ? 'Search for words with letters or digits.' : 'Remove a filter or widen the time range.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No calls yet" icon={<Activity />} actions={<LinkButton href={firstStep.href}>{firstStep.label}</LinkButton>}>
      {firstStep.obstacle ?? 'Calls from people, scripts and agents appear here.'}
    </EmptyState>
  );
}

interface ColumnChoiceProps {
  shown: readonly ColumnKey[];
  areSeveral: boolean;
  onChange: (columns: readonly ColumnKey[] | null) => void;
}

function ColumnChoice({ shown, areSeveral, onChange }: ColumnChoiceProps) {
  return (
    <Popover label="Columns" trigger={<Button icon={<Columns3 />}>Columns</Button>}>
      <fieldset className="flex flex-col gap-1 p-4">
        <legend className="sr-only">Shown columns</legend>
        {COLUMNS.filter((column) => !column.fixed && (areSeveral || column.key !== 'instance')).map(({ key, name }) => (
          <label key={key} className="flex min-h-7 items-center gap-2 pointer-coarse:min-h-10">
            <Checkbox
              checked={shown.includes(key)}
              onChange={(event) => onChange(event.target.checked ? [...shown, key] : shown.filter((each) => each !== key))}
            />
            {name}
          </label>
        ))}
        <p className="mt-1 max-w-48 text-xs text-muted">Stored in this browser</p>
        <Button size="sm" className="mt-2" onClick={() => onChange(null)}>
          Reset columns
        </Button>
      </fieldset>
    </Popover>
  );
}

interface ListEndProps {
  count: number;
  state: 'reading' | 'failed' | 'more' | 'whole';
  problem: string;
  onRetry: () => void;
}

function ListEnd({ count, state, problem, onRetry }: ListEndProps) {
  return (
    <div role="status" className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 px-4 py-3 text-center text-sm text-muted">
      {state === 'reading' ? 'Loading…' : null}
      {state === 'whole' ? `${inThousands(count)} ${count === 1 ? 'call' : 'calls'} in total` : null}
      {state === 'failed' ? (
        <>
          <span>
            <span className="font-medium text-failed">Could not load older calls.</span> {problem}
          </span>
          <Button size="sm" onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : null}
    </div>
  );
}
