'use client';

import { useQuery } from '@tanstack/react-query';
import { Bot, UserRound } from 'lucide-react';
import { useCallback } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Select } from '#components/ui/Field.tsx';
import { cx } from '#components/ui/cx.ts';
import { ActiveFilter } from '#components/ui/ActiveFilter.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { durationInWords, minuteOf } from '#components/ui/times.ts';
import { queries } from '#lib/client/queries.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { CALL_SEARCH_MOST, CALL_SOURCES } from '#lib/contract/call-states.ts';
import { AGENT_MISTAKES, showsAgentMistakes } from './call-filter.ts';
import type { FilterValues } from './call-filter.ts';
import { ERROR_WORDS, SOURCE_WORDS } from './call-words.ts';
import { FurtherFilters } from './FurtherFilters.tsx';
import { StatusChips } from './StatusChips.tsx';

export interface CallFiltersProps {
  values: FilterValues;
  onChange: (change: Partial<FilterValues>) => void;
}

/** What the list of calls is narrowed to. */
export function CallFilters({ values, onChange }: CallFiltersProps) {
  const me = useSession().view.person?.name ?? null;
  const { clock } = useTimeZone();
  // The frame has the extensions on every page; the tools, with all that they take, would be half of what is sent.
  const { data } = useQuery(queries.extensions());
  const serving = (data?.extensions ?? []).filter((extension) => extension.tools.length > 0);
  const names = serving.flatMap((extension) => extension.tools);
  const ids = serving.map((extension) => extension.id);
  const search = useCallback((q: string | null) => onChange({ q }), [onChange]);
  return (
    <FilterRows
      fields={
        <>
          <FilterSearch
            label="Search the calls"
            placeholder="Words in arguments, results, errors, logs"
            most={CALL_SEARCH_MOST}
            value={values.q}
            onChange={search}
          />
          <FilterSelect label="Tool" every="Every tool" value={values.tool} names={names} onChange={(tool) => onChange({ tool })} />
          <FilterSelect
            label="Extension"
            every="Every extension"
            value={values.extension}
            names={ids}
            onChange={(extension) => onChange({ extension })}
          />
          <Select
            aria-label="Source"
            className="w-36 max-sm:flex-1"
            value={values.source ?? ''}
            onChange={(event) => onChange({ source: CALL_SOURCES.find((source) => source === event.target.value) ?? null })}
          >
            <option value="">Every source</option>
            {CALL_SOURCES.map((source) => (
              <option key={source} value={source}>
                {SOURCE_WORDS[source]}
              </option>
            ))}
          </Select>
          <FurtherFilters values={values} onChange={onChange} />
        </>
      }
      chips={
        <>
          <StatusChips status={values.status} onChange={(status) => onChange({ status })} />
          {me === null ? null : (
            <FilterChips
              label="Whose"
              value={values.actor === me ? me : null}
              onChange={(actor) => onChange({ actor })}
              options={[
                {
                  value: me,
                  label: (
                    <>
                      <UserRound aria-hidden />
                      Mine
                    </>
                  ),
                },
              ]}
            />
          )}
          <Button
            size="md"
            aria-pressed={showsAgentMistakes(values)}
            icon={<Bot aria-hidden />}
            className={cx('text-sm max-sm:order-first', showsAgentMistakes(values) ? 'border-accent bg-accent-soft' : 'font-normal')}
            onClick={() => onChange(showsAgentMistakes(values) ? { source: null, error_kind: null } : { ...AGENT_MISTAKES, status: null })}
          >
            What agents got wrong
          </Button>
          {values.error_kind === null ? null : (
            <ActiveFilter name="Error" value={ERROR_WORDS[values.error_kind].word} onRemove={() => onChange({ error_kind: null })} />
          )}
          {values.revision === null ? null : (
            <ActiveFilter name="Revision" value={String(values.revision)} onRemove={() => onChange({ revision: null })} />
          )}
          {values.min_ms === null ? null : (
            <ActiveFilter name="Took at least" value={durationInWords(values.min_ms)} onRemove={() => onChange({ min_ms: null })} />
          )}
          {values.max_ms === null ? null : (
            <ActiveFilter name="Took at most" value={durationInWords(values.max_ms)} onRemove={() => onChange({ max_ms: null })} />
          )}
          {values.replay_of === null ? null : (
            <ActiveFilter name="Replays of" value={`…${values.replay_of.slice(-8)}`} onRemove={() => onChange({ replay_of: null })} />
          )}
          {values.actor === null || values.actor === me ? null : (
            <ActiveFilter name="Actor" value={values.actor} onRemove={() => onChange({ actor: null })} />
          )}
          {values.since === null ? null : (
            <ActiveFilter name="Since" value={minuteOf(values.since.toISOString(), clock)} onRemove={() => onChange({ since: null })} />
          )}
          {values.until === null ? null : (
            <ActiveFilter name="Until" value={minuteOf(values.until.toISOString(), clock)} onRemove={() => onChange({ until: null })} />
          )}
        </>
      }
    />
  );
}
