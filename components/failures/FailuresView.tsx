'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { AtSign, CircleCheck, RotateCcw } from 'lucide-react';
import { type inferParserType, parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { ActiveFilter, FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState, ErrorState, Skeleton } from '#components/ui/QueryState.tsx';
import { Select } from '#components/ui/Field.tsx';
import { FilterChips, StateChips } from '#components/ui/FilterChips.tsx';
import { SelectedPanel, useSideBySide } from '#components/ui/SelectedPanel.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { usePointerInside } from '#components/ui/stable-rows.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { type FailureListFilter, failureQueries } from '#lib/client/failure-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { GROUP_SEARCH_MOST, GROUP_STATUSES } from '#lib/contract/states.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { FailureList } from './FailureList.tsx';
import { ReviewProvider, useReview } from './ReviewProvider.tsx';

const NOBODY = 'nobody';
const ME = 'me';

/** Without a status: open, then acknowledged. */
const FILTER_PARSERS = {
  status: parseAsStringLiteral(GROUP_STATUSES),
  extension: parseAsString,
  who: parseAsString,
  regression: parseAsBoolean,
  mentions: parseAsStringLiteral([ME]),
  q: parseAsString,
};

type FilterValues = inferParserType<typeof FILTER_PARSERS>;

function listFilterOf(values: FilterValues, me: string | null): Omit<FailureListFilter, 'status'> {
  return {
    extension: values.extension || undefined,
    assignee: values.who === null ? undefined : values.who === NOBODY ? '' : values.who === ME ? (me ?? '') : values.who,
    regression: values.regression === true ? 'true' : undefined,
    mentions: values.mentions ?? undefined,
    q: values.q?.trim() || undefined,
  };
}

function statusesOf(values: FilterValues): readonly (typeof GROUP_STATUSES)[number][] {
  return values.status === null ? ['open', 'acknowledged'] : [values.status];
}

function isFiltered(values: FilterValues): boolean {
  return Object.values(values).some((value) => value !== null && value !== '' && value !== false);
}

const FailureDetail = lazyPart(async () => (await import('./FailureDetail.tsx')).FailureDetail, <Skeleton lines={8} />);

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
  const beside = useSideBySide(named, PAGES.failure);
  // Without a detail pane the address must not change, but the keys need a selected row.
  const [line, setLine] = useState<string | null>(null);
  const selected = beside ? named : line;
  const setSelected = (id: string | null) => {
    if (beside) void setNamed(id);
    else setLine(id);
  };
  const { pointer, props: pointerProps } = usePointerInside();
  const filter = listFilterOf(values, me);
  const statuses = statusesOf(values);
  const lengths = useListLengths(statuses, filter);
  const change = (next: Partial<FilterValues>) => void setValues(next);

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
    pointer,
  };
  return (
    <>
      <FailureFilters values={values} me={me} onChange={change} />
      {review.problem === null ? null : <ErrorState title="Action failed" detail={review.problem} />}
      <div
        className="grid min-w-0 items-start gap-4 xl:data-[open=true]:grid-cols-[minmax(24rem,5fr)_minmax(0,7fr)]"
        data-open={beside && selected !== null}
      >
        <div className="min-w-0 overflow-clip rounded border bg-panel" {...pointerProps}>
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
    </>
  );
}

function Nothing({ values, onClear }: { values: FilterValues; onClear: () => void }) {
  const counts = useQuery(failureQueries.counts()).data;
  if (isFiltered(values)) {
    return (
      <EmptyState title="No matching failures" icon={<CircleCheck />} actions={<Button onClick={onClear}>Show open failures</Button>}>
        Remove a filter.
      </EmptyState>
    );
  }
  const past = counts === undefined ? 0 : counts.resolved + counts.ignored;
  return (
    <EmptyState title="No open failures" icon={<CircleCheck className="text-ok" />}>
      {past === 0
        ? 'Failed loads and crashes appear here with file, line and recent changes.'
        : `${past} ${past === 1 ? 'is' : 'are'} resolved or ignored.`}
    </EmptyState>
  );
}

function useListLengths(statuses: ReturnType<typeof statusesOf>, filter: ReturnType<typeof listFilterOf>): readonly (number | null)[] {
  const first = useListLength(statuses[0] ?? 'open', filter);
  const second = useListLength(statuses[1] ?? statuses[0] ?? 'open', filter);
  return [first, second];
}

function useListLength(status: ReturnType<typeof statusesOf>[number], filter: ReturnType<typeof listFilterOf>): number | null {
  const { data } = useInfiniteQuery(failureQueries.list({ ...filter, status }));
  return data === undefined ? null : data.pages.reduce((sum, page) => sum + page.groups.length, 0);
}

interface FailureFiltersProps {
  values: FilterValues;
  me: string | null;
  onChange: (change: Partial<FilterValues>) => void;
}

function FailureFilters({ values, me, onChange }: FailureFiltersProps) {
  const { data: counts } = useQuery(failureQueries.counts());
  const { data: extensions } = useQuery(queries.extensions());
  const ids = (extensions?.extensions ?? []).map((extension) => extension.id);
  const isTeam = useSession().view.mode === 'team';
  const { data: members } = useQuery({ ...accountQueries.members(), enabled: isTeam });
  const names = (members?.members ?? []).flatMap(({ name, active }) => (active ? [name] : []));
  const isOther = values.who !== null && values.who !== ME && values.who !== NOBODY;
  return (
    <FilterRows
      parsers={FILTER_PARSERS}
      fields={
        <>
          <FilterSearch label="Search failures" placeholder="Message, extension, code" max={GROUP_SEARCH_MOST} />
          <FilterSelect
            label="Extension"
            every="All extensions"
            value={values.extension}
            names={ids}
            onChange={(extension) => onChange({ extension })}
          />
          <Select
            aria-label="Assignee"
            className="w-40 max-sm:w-[calc(50%-0.25rem)]"
            options={[
              ['', 'Any assignee'],
              ...(me === null ? [] : [[ME, 'Mine'] as const]),
              [NOBODY, 'Unassigned'],
              ...names.filter((name) => name !== me && name !== values.who).map((name) => [name, name] as const),
              ...(isOther ? [[values.who ?? '', values.who ?? ''] as const] : []),
            ]}
            value={values.who ?? ''}
            onChange={(who) => onChange({ who: who || null })}
          />
        </>
      }
      chips={
        <>
          <StateChips
            label="Status"
            states={GROUP_STATUSES}
            countOf={(status) => counts?.[status]}
            value={values.status}
            onChange={(status) => onChange({ status })}
          />
          <FilterChips
            label="Kind"
            value={values.regression === true ? 'regression' : null}
            onChange={(chosen) => onChange({ regression: chosen === null ? null : true })}
            options={[{ value: 'regression', label: 'Regressions', icon: <RotateCcw className="text-failed" /> }]}
          />
          {isTeam ? (
            <FilterChips
              label="Mentions"
              value={values.mentions}
              onChange={(mentions) => onChange({ mentions })}
              options={[{ value: ME, label: 'Mentions you', icon: <AtSign />, count: counts?.needs_you }]}
            />
          ) : null}
          {isOther ? <ActiveFilter name="Assignee" value={values.who ?? ''} onRemove={() => onChange({ who: null })} /> : null}
        </>
      }
    />
  );
}
