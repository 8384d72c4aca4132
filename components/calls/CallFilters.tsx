'use client';

import { useQuery } from '@tanstack/react-query';
import { Bot, CircleX, SlidersHorizontal, UserRound } from 'lucide-react';
import { useState } from 'react';
import { ActiveFilter, FilterRows, FilterSearch, FilterSelect } from '#components/ui/FilterRows.tsx';
import { Button } from '#components/ui/Button.tsx';
import { Field, Form, Input, Select } from '#components/ui/Field.tsx';
import { FilterChip, FilterChips } from '#components/ui/FilterChips.tsx';
import { MOMENT_WANTED, MomentInput } from '#components/ui/DateInput.tsx';
import { Popover, PopoverClose } from '#components/ui/Popover.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { momentIn } from '#components/ui/date-text.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { durationInWords, minuteOf } from '#components/ui/times.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { queries } from '#lib/client/queries.ts';
import { CALL_SEARCH_MOST, CALL_SOURCES, CALL_STATUSES } from '#lib/contract/states.ts';
import {
  AGENT_MISTAKES,
  FILTER_PARSERS,
  type FilterValues,
  SPANS,
  showsAgentMistakes,
  showsFailed,
  toggledStatuses,
} from './call-filter.ts';
import { ERROR_KIND_OPTIONS, ERROR_WORDS, SOURCE_WORDS } from './call-words.ts';

const InstanceField = lazyPart(async () => (await import('./InstanceField.tsx')).InstanceField);

interface CallFiltersProps {
  values: FilterValues;
  onChange: (change: Partial<FilterValues>) => void;
}

export function CallFilters({ values, onChange }: CallFiltersProps) {
  const me = useSession().view.person?.name ?? null;
  const { clock } = useTimeZone();
  // Extensions are already loaded on every page; the list of tools would be half of the response.
  const { data } = useQuery(queries.extensions());
  const serving = (data?.extensions ?? []).filter((extension) => extension.tools.length > 0);
  const names = serving.flatMap((extension) => extension.tools);
  const ids = serving.map((extension) => extension.id);
  const { error_kind: kind, revision, min_ms: min, max_ms: max, replay_of: original, instance, actor, since, until } = values;
  const active: readonly (readonly [name: string, value: string | null, without: Partial<FilterValues>])[] = [
    ['Error', kind && ERROR_WORDS[kind].word, { error_kind: null }],
    ['Revision', revision === null ? null : String(revision), { revision: null }],
    ['Min duration', min === null ? null : durationInWords(min), { min_ms: null }],
    ['Max duration', max === null ? null : durationInWords(max), { max_ms: null }],
    ['Replays of', original === null ? null : `…${original.slice(-8)}`, { replay_of: null }],
    ['Instance', instance, { instance: null }],
    ['Actor', actor === me ? null : actor, { actor: null }],
    ['Since', since && minuteOf(since.toISOString(), clock), { since: null }],
    ['Until', until && minuteOf(until.toISOString(), clock), { until: null }],
  ];
  return (
    <FilterRows
      parsers={FILTER_PARSERS}
      fields={
        <>
          <FilterSearch label="Search calls" placeholder="Arguments, results, errors, logs" max={CALL_SEARCH_MOST} />
          <FilterSelect label="Tool" every="All tools" value={values.tool} names={names} onChange={(tool) => onChange({ tool })} />
          <FilterSelect
            label="Extension"
            every="All extensions"
            value={values.extension}
            names={ids}
            onChange={(extension) => onChange({ extension })}
          />
          <Select
            aria-label="Source"
            className="w-36 max-sm:flex-1"
            options={[['', 'All sources'], ...CALL_SOURCES.map((source) => [source, SOURCE_WORDS[source]] as const)]}
            value={values.source ?? ''}
            onChange={(source) => onChange({ source: source || null })}
          />
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
              options={[{ value: me, label: 'Mine', icon: <UserRound /> }]}
            />
          )}
          <Button
            size="md"
            aria-pressed={showsAgentMistakes(values)}
            icon={<Bot />}
            className={cx('text-sm max-sm:order-first', showsAgentMistakes(values) ? 'border-accent bg-accent-soft' : 'font-normal')}
            onClick={() => onChange(showsAgentMistakes(values) ? { source: null, error_kind: null } : { ...AGENT_MISTAKES, status: null })}
          >
            Invalid agent calls
          </Button>
          {active.map(([name, text, without]) =>
            text === null ? null : <ActiveFilter key={name} name={name} value={text} onRemove={() => onChange(without)} />,
          )}
        </>
      }
    />
  );
}

function StatusChips({ status, onChange }: { status: FilterValues['status']; onChange: (status: FilterValues['status']) => void }) {
  return (
    <div role="group" aria-label="Status" className="flex flex-wrap gap-1">
      {CALL_STATUSES.map((each) => (
        <FilterChip key={each} chosen={status?.includes(each) ?? false} onPress={() => onChange(toggledStatuses(status, each))}>
          <StateIcon state={each} />
          {STATES[each].word}
        </FilterChip>
      ))}
      <FilterChip chosen={showsFailed({ status })} onPress={() => onChange(toggledStatuses(status, 'any_failure'))}>
        <CircleX />
        Any failure
      </FilterChip>
    </div>
  );
}

function FurtherFilters({ values, onChange }: CallFiltersProps) {
  return (
    <Popover
      label="More filters"
      align="start"
      trigger={
        <Button icon={<SlidersHorizontal />} className="max-sm:flex-1">
          More filters
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
        <MomentField label="Since" value={values.since} onChange={(since) => onChange({ since })} day="begins" />
        <MomentField label="Until" value={values.until} onChange={(until) => onChange({ until })} day="ends" />
        <Field label="Kind of error">
          <Select
            options={[['', 'Any'], ...ERROR_KIND_OPTIONS]}
            value={values.error_kind ?? ''}
            onChange={(kind) => onChange({ error_kind: kind || null })}
          />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <NumberField label="Min duration (ms)" value={values.min_ms} min={0} onChange={(min) => onChange({ min_ms: min })} />
          <NumberField label="Max duration (ms)" value={values.max_ms} min={0} onChange={(max) => onChange({ max_ms: max })} />
          <NumberField label="Revision" value={values.revision} min={1} integer onChange={(revision) => onChange({ revision })} />
        </div>
        <InstanceField value={values.instance} onChange={(instance) => onChange({ instance })} />
        <ActorField onChange={(actor) => onChange({ actor })} />
      </div>
    </Popover>
  );
}

function ActorField({ onChange }: { onChange: (actor: string | null) => void }) {
  const isTeam = useSession().view.mode === 'team';
  const [actor, setActor] = useState('');
  return (
    <Form className="flex items-start gap-2" onSubmit={() => onChange(actor.trim() || null)}>
      <Field label="Actor" description={isTeam ? 'Member, or “token (member)”' : 'Name given by the caller'} className="flex-1">
        <Input value={actor} onChange={(event) => setActor(event.target.value)} autoComplete="off" />
      </Field>
      <Button type="submit" className="mt-6">
        Apply
      </Button>
    </Form>
  );
}

interface NumberFieldProps {
  label: string;
  value: number | null;
  min: number;
  integer?: boolean;
  onChange: (value: number | null) => void;
}

function NumberField({ label, value, min, integer = false, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const number = Number(typed);
  const wrong = typed !== null && typed.trim() !== '' && !(number >= min && (!integer || Number.isInteger(number)));

  function apply() {
    if (typed === null || wrong) return;
    onChange(typed.trim() === '' ? null : number);
    setTyped(null);
  }

  return (
    <Field label={label} error={wrong ? `${integer ? 'A whole number' : 'A number'} from ${min} on.` : null}>
      <Input
        inputMode={integer ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={typed ?? (value === null ? '' : String(value))}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Enter') apply();
        }}
      />
    </Field>
  );
}

export interface MomentFieldProps {
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
  day: 'begins' | 'ends';
}

/** In the time zone of the pages. Applied on blur, Enter and pick. */
export function MomentField({ label, value, onChange, day }: MomentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const { clock, isLocal } = useTimeZone();
  const name = `${label}, ${isLocal ? 'local time' : 'UTC'}`;

  function type(text: string) {
    setTyped(text);
    setWrong(false);
  }

  function apply(text: string | null) {
    if (text === null) return;
    const named = momentIn(text, isLocal ? 'local' : 'utc');
    setWrong(text.trim() !== '' && named === null);
    if (text.trim() !== '' && named === null) return;
    const moment = named?.date ?? null;
    if (named?.isDay === true && day === 'ends') {
      if (isLocal) named.date.setDate(named.date.getDate() + 1);
      else named.date.setUTCDate(named.date.getUTCDate() + 1);
    }
    setTyped(null);
    if (moment?.getTime() !== value?.getTime()) onChange(moment);
  }

  return (
    <Field label={name} error={isWrong ? MOMENT_WANTED : null}>
      <MomentInput
        name={name}
        value={typed ?? (value === null ? '' : minuteOf(value.toISOString(), clock).slice(0, 16))}
        onType={type}
        onPicked={apply}
        onBlur={() => apply(typed)}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Enter') apply(typed);
        }}
      />
    </Field>
  );
}
