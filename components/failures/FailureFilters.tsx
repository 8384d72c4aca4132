'use client';

import { useQuery } from '@tanstack/react-query';
import { AtSign, RotateCcw } from 'lucide-react';
import { useCallback } from 'react';
import { Select } from '#components/ui/Field.tsx';
import { ActiveFilter } from '#components/ui/ActiveFilter.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { StateChips } from '#components/ui/StateChips.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { GROUP_SEARCH_MOST, GROUP_STATUSES } from '#lib/contract/group-states.ts';
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
  const isTeam = useSession().view.mode === 'team';
  const { data: members } = useQuery({ ...accountQueries.members(), enabled: isTeam });
  const names = (members?.members ?? []).flatMap(({ name, active }) => (active ? [name] : []));
  const isOther = values.who !== null && values.who !== ME && values.who !== NOBODY;
  const search = useCallback((q: string | null) => onChange({ q }), [onChange]);
  return (
    <FilterRows
      fields={
        <>
          <FilterSearch
            label="Search the failures"
            placeholder="Words in message, extension, code"
            most={GROUP_SEARCH_MOST}
            value={values.q}
            onChange={search}
          />
          <FilterSelect
            label="Extension"
            every="Every extension"
            value={values.extension}
            names={ids}
            onChange={(extension) => onChange({ extension })}
          />
          <Select
            aria-label="Who has it"
            className="w-40 max-sm:w-[calc(50%-0.25rem)]"
            value={values.who ?? ''}
            onChange={(event) => onChange({ who: event.target.value === '' ? null : event.target.value })}
          >
            <option value="">Whoever has it</option>
            {me === null ? null : <option value={ME}>Mine</option>}
            <option value={NOBODY}>Nobody’s</option>
            {names
              .filter((name) => name !== me && name !== values.who)
              .map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            {isOther ? <option value={values.who ?? ''}>{values.who}</option> : null}
          </Select>
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
          {isTeam ? (
            <FilterChips
              label="Mentions"
              value={values.mentions}
              onChange={(mentions) => onChange({ mentions })}
              options={[
                {
                  value: ME,
                  label: (
                    <>
                      <AtSign aria-hidden />
                      Mentions you
                    </>
                  ),
                  ...(counts?.needs_you === undefined ? {} : { count: counts.needs_you }),
                },
              ]}
            />
          ) : null}
          {isOther ? <ActiveFilter name="Who" value={values.who ?? ''} onRemove={() => onChange({ who: null })} /> : null}
        </>
      }
    />
  );
}
