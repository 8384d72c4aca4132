'use client';

import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Select } from '#components/ui/Field.tsx';
import { ActiveFilter, FilterChips } from '#components/ui/FilterChips.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { StateIcon } from '#components/ui/StateBadge.tsx';
import { STATES } from '#components/ui/states.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { GROUP_STATUSES } from '#lib/contract/failure-group.ts';
import { ME, NOBODY } from './failure-filter.ts';
import type { FilterValues } from './failure-filter.ts';

export interface FailureFiltersProps {
  values: FilterValues;
  me: string | null;
  onChange: (change: Partial<FilterValues>) => void;
}

/** What the list of failures is narrowed to. */
export function FailureFilters({ values, me, onChange }: FailureFiltersProps) {
  const { data: counts } = useQuery(failureQueries.counts());
  const { data: extensions } = useQuery(queries.extensions());
  const ids = (extensions?.extensions ?? []).map((extension) => extension.id);
  const shownIds = values.extension === null || ids.includes(values.extension) ? ids : [values.extension, ...ids];
  const isOther = values.who !== null && values.who !== ME && values.who !== NOBODY;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <TypedSearch value={values.q ?? ''} onChange={(q) => onChange({ q: q === '' ? null : q })} />
        <Select
          aria-label="Extension"
          className="w-44 max-sm:w-[calc(50%-0.25rem)]"
          value={values.extension ?? ''}
          onChange={(event) => onChange({ extension: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">Every extension</option>
          {shownIds.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Who has it"
          className="w-40 max-sm:w-[calc(50%-0.25rem)]"
          value={values.who ?? ''}
          onChange={(event) => onChange({ who: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">Whoever has it</option>
          {me === null ? null : <option value={ME}>Mine</option>}
          <option value={NOBODY}>Nobody’s</option>
          {isOther ? <option value={values.who ?? ''}>{values.who}</option> : null}
        </Select>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2 max-sm:-mx-4 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:px-4 max-sm:py-0.5 max-sm:[&_[role=group]]:flex-nowrap max-sm:[&>*]:shrink-0">
        <FilterChips
          label="Status"
          value={values.status}
          onChange={(status) => onChange({ status })}
          options={GROUP_STATUSES.map((status) => ({
            value: status,
            label: (
              <>
                <StateIcon state={status} />
                {STATES[status].word}
              </>
            ),
            ...(counts === undefined ? {} : { count: counts[status] }),
          }))}
        />
        <FilterChips
          label="Kind"
          value={values.regression === true ? 'regression' : null}
          onChange={(chosen) => onChange({ regression: chosen === null ? null : true })}
          options={[
            {
              value: 'regression',
              label: (
                <>
                  <RotateCcw aria-hidden className="text-failed" />
                  Came back
                </>
              ),
            },
          ]}
        />
        {isOther ? <ActiveFilter name="Who" value={values.who ?? ''} onRemove={() => onChange({ who: null })} /> : null}
      </div>
    </div>
  );
}

const PAUSE_MS = 250;

/** The address follows when the typing pauses. */
function TypedSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);

  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      onChange(typed);
      setTyped(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);

  return (
    <SearchField
      label="Search the failures"
      placeholder="Words in message, extension, code"
      value={typed ?? value}
      onChange={setTyped}
      className="w-full sm:w-80"
    />
  );
}
