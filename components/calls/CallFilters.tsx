'use client';

import { useQuery } from '@tanstack/react-query';
import { Clock } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { ActiveFilter, FilterChips } from '#components/ui/FilterChips.tsx';
import { Popover, PopoverClose } from '#components/ui/Popover.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { StateIcon } from '#components/ui/StateBadge.tsx';
import { STATES } from '#components/ui/states.ts';
import { queries } from '#lib/client/queries.ts';
import { CALL_SOURCES, CALL_STATUSES } from '#lib/contract/call.ts';
import { momentInShort, SPANS } from './call-filter.ts';
import type { FilterValues } from './call-filter.ts';
import { SOURCE_WORDS } from './call-words.ts';

export interface CallFiltersProps {
  values: FilterValues;
  onChange: (change: Partial<FilterValues>) => void;
}

/** What the list of calls is narrowed to. */
export function CallFilters({ values, onChange }: CallFiltersProps) {
  const { data: tools } = useQuery(queries.tools());
  const { data: extensions } = useQuery(queries.extensions());
  const names = (tools?.tools ?? []).map((tool) => tool.name);
  const ids = (extensions?.extensions ?? []).filter((extension) => extension.tools.length > 0).map((extension) => extension.id);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <TypedSearch value={values.q ?? ''} onChange={(q) => onChange({ q: q === '' ? null : q })} />
        <NameSelect label="Tool" every="Every tool" value={values.tool} names={names} onChange={(tool) => onChange({ tool })} />
        <NameSelect
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
        <TimeFilter values={values} onChange={onChange} />
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2 max-sm:-mx-4 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:px-4 max-sm:py-0.5 max-sm:[&_[role=group]]:flex-nowrap max-sm:[&>*]:shrink-0">
        <FilterChips
          label="Status"
          value={values.status}
          onChange={(status) => onChange({ status })}
          options={CALL_STATUSES.map((status) => ({
            value: status,
            label: (
              <>
                <StateIcon state={status} />
                {STATES[status].word}
              </>
            ),
          }))}
        />
        {values.actor === null ? null : <ActiveFilter name="Actor" value={values.actor} onRemove={() => onChange({ actor: null })} />}
        {values.since === null ? null : (
          <ActiveFilter name="Since" value={momentInShort(values.since)} onRemove={() => onChange({ since: null })} />
        )}
        {values.until === null ? null : (
          <ActiveFilter name="Until" value={momentInShort(values.until)} onRemove={() => onChange({ until: null })} />
        )}
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
      label="Search the calls"
      placeholder="Words in arguments, results, errors, logs"
      value={typed ?? value}
      onChange={setTyped}
      className="w-full sm:w-80"
    />
  );
}

function NameSelect({
  label,
  every,
  value,
  names,
  onChange,
}: {
  label: string;
  every: string;
  value: string | null;
  names: readonly string[];
  onChange: (value: string | null) => void;
}) {
  const all = value === null || names.includes(value) ? names : [value, ...names];
  return (
    <Select
      aria-label={label}
      className="w-44 max-sm:w-[calc(50%-0.25rem)]"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{every}</option>
      {all.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function TimeFilter({ values, onChange }: CallFiltersProps) {
  const [actor, setActor] = useState('');
  return (
    <Popover
      label="Time and actor"
      align="start"
      trigger={
        <Button icon={<Clock aria-hidden />} className="max-sm:flex-1">
          Time, actor
        </Button>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        <div className="grid grid-cols-2 gap-2">
          {SPANS.map((span) => (
            <PopoverClose key={span.words} asChild>
              <Button size="sm" onClick={() => onChange({ since: new Date(Date.now() - span.ms), until: null })}>
                {span.words}
              </Button>
            </PopoverClose>
          ))}
        </div>
        <MomentField id="calls-since" label="Since" value={values.since} onChange={(since) => onChange({ since })} />
        <MomentField id="calls-until" label="Until" value={values.until} onChange={(until) => onChange({ until })} />
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ actor: actor.trim() === '' ? null : actor.trim() });
          }}
        >
          <Field id="calls-actor" label="Actor" description="The name people or programs gave themselves." className="flex-1">
            <Input
              id="calls-actor"
              aria-describedby="calls-actor-description"
              value={actor}
              onChange={(event) => setActor(event.target.value)}
              autoComplete="off"
            />
          </Field>
          <Button type="submit" className="mb-5">
            Show
          </Button>
        </form>
      </div>
    </Popover>
  );
}

function MomentField({
  id,
  label,
  value,
  onChange,
}: {
  id: string;
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
}) {
  const local = value === null ? '' : new Date(value.getTime() - value.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  return (
    <Field id={id} label={label}>
      <Input
        id={id}
        type="datetime-local"
        value={local}
        onChange={(event) => {
          const picked = new Date(event.target.value);
          onChange(event.target.value === '' || Number.isNaN(picked.getTime()) ? null : picked);
        }}
      />
    </Field>
  );
}
