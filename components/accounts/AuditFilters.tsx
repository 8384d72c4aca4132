'use client';

import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Select } from '#components/ui/Field.tsx';
import { ActiveFilter } from '#components/ui/ActiveFilter.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { minuteOf } from '#components/ui/times.ts';
import { accountQueries } from '#lib/client/account-queries.ts';
import { AUDIT_OUTCOMES, AUDIT_SEARCH_MOST } from '#lib/contract/audit-events.ts';
import { AUDIT_SPANS, AUDIT_SUBJECTS } from './audit-filter.ts';
import type { AuditValues } from './audit-filter.ts';
import { OUTCOME_WORDS, whatInWords } from './audit-words.ts';
import { OutcomeIcon } from './AuditRow.tsx';

export interface AuditFiltersProps {
  values: AuditValues;
  onChange: (change: Partial<AuditValues>) => void;
}

/** What the audit is narrowed to: who, what about, how it ended, when. */
export function AuditFilters({ values, onChange }: AuditFiltersProps) {
  const { data } = useQuery(accountQueries.members());
  const { clock } = useTimeZone();
  const search = useCallback((q: string | null) => onChange({ q }), [onChange]);
  const isSubject = AUDIT_SUBJECTS.some(([subject]) => subject === values.action);
  return (
    <FilterRows
      fields={
        <>
          <FilterSearch
            label="Search the audit"
            placeholder="Name, target, address, detail"
            most={AUDIT_SEARCH_MOST}
            value={values.q}
            onChange={search}
          />
          <FilterSelect
            label="Who"
            every="Everybody"
            value={values.actor}
            names={(data?.members ?? []).map((member) => member.name)}
            onChange={(actor) => onChange({ actor })}
          />
          <Select
            aria-label="What about"
            className="w-56 max-sm:w-[calc(50%-0.25rem)]"
            value={isSubject ? (values.action ?? '') : ''}
            onChange={(event) => onChange({ action: event.target.value === '' ? null : event.target.value })}
          >
            <option value="">Everything</option>
            {AUDIT_SUBJECTS.map(([subject, words]) => (
              <option key={subject} value={subject}>
                {words}
              </option>
            ))}
          </Select>
          <Select
            aria-label="When"
            className="w-40 max-sm:w-full"
            value=""
            onChange={(event) => {
              const span = AUDIT_SPANS.find(({ words }) => words === event.target.value);
              onChange({ from: span === undefined ? null : new Date(Date.now() - span.ms), to: null });
            }}
          >
            <option value="">{values.from === null ? 'At any time' : 'Another time…'}</option>
            {values.from === null ? null : <option value="any">At any time</option>}
            {AUDIT_SPANS.map(({ words }) => (
              <option key={words} value={words}>
                {words}
              </option>
            ))}
          </Select>
        </>
      }
      chips={
        <>
          <FilterChips
            label="Outcome"
            value={values.outcome}
            onChange={(outcome) => onChange({ outcome })}
            options={AUDIT_OUTCOMES.map((outcome) => ({
              value: outcome,
              label: (
                <>
                  <OutcomeIcon outcome={outcome} />
                  {OUTCOME_WORDS[outcome]}
                </>
              ),
            }))}
          />
          {values.action === null || isSubject ? null : (
            <ActiveFilter name="What" value={whatInWords(values.action)} onRemove={() => onChange({ action: null })} />
          )}
          {values.from === null ? null : (
            <ActiveFilter name="Since" value={minuteOf(values.from.toISOString(), clock)} onRemove={() => onChange({ from: null })} />
          )}
          {values.to === null ? null : (
            <ActiveFilter name="Until" value={minuteOf(values.to.toISOString(), clock)} onRemove={() => onChange({ to: null })} />
          )}
        </>
      }
    />
  );
}
