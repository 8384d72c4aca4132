'use client';

import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { Popover, PopoverClose } from '#components/ui/Popover.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { CALL_ERROR_KINDS } from '#lib/contract/call-states.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { SPANS } from './call-filter.ts';
import { MomentField } from './MomentField.tsx';
import type { CallFiltersProps } from './CallFilters.tsx';
import { ERROR_WORDS } from './call-words.ts';

/** The filters that are used now and then: time, kind of error, duration, revision, actor. */
export function FurtherFilters({ values, onChange }: CallFiltersProps) {
  return (
    <Popover
      label="Further filters"
      align="start"
      trigger={
        <Button icon={<SlidersHorizontal aria-hidden />} className="max-sm:flex-1">
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
        <MomentField id="calls-since" label="Since" value={values.since} onChange={(since) => onChange({ since })} day="begins" />
        <MomentField id="calls-until" label="Until" value={values.until} onChange={(until) => onChange({ until })} day="ends" />
        <Field id="calls-error" label="Kind of error">
          <Select
            id="calls-error"
            value={values.error_kind ?? ''}
            onChange={(event) => onChange({ error_kind: CALL_ERROR_KINDS.find((kind) => kind === event.target.value) ?? null })}
          >
            <option value="">Every call</option>
            {CALL_ERROR_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {ERROR_WORDS[kind].word}
              </option>
            ))}
          </Select>
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <NumberField
            id="calls-least"
            label="Took at least, ms"
            value={values.min_ms}
            least={0}
            whole={false}
            onChange={(least) => onChange({ min_ms: least })}
          />
          <NumberField
            id="calls-most"
            label="Took at most, ms"
            value={values.max_ms}
            least={0}
            whole={false}
            onChange={(most) => onChange({ max_ms: most })}
          />
          <NumberField
            id="calls-revision"
            label="Revision"
            value={values.revision}
            least={1}
            whole
            onChange={(revision) => onChange({ revision })}
          />
        </div>
        <ActorField onChange={(actor) => onChange({ actor })} />
      </div>
    </Popover>
  );
}

function ActorField({ onChange }: { onChange: (actor: string | null) => void }) {
  const isTeam = useSession().view.mode === 'team';
  const [actor, setActor] = useState('');
  return (
    <form
      className="flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(actor.trim() === '' ? null : actor.trim());
      }}
    >
      <Field
        id="calls-actor"
        label="Actor"
        description={isTeam ? 'Of a member, or “token (member)”.' : 'The name people or programs gave themselves.'}
        className="flex-1"
      >
        <Input
          id="calls-actor"
          aria-describedby="calls-actor-description"
          value={actor}
          onChange={(event) => setActor(event.target.value)}
          autoComplete="off"
        />
      </Field>
      <Button type="submit" className="mt-6">
        Show
      </Button>
    </form>
  );
}

interface NumberFieldProps {
  id: string;
  label: string;
  value: number | null;
  least: number;
  whole: boolean;
  onChange: (value: number | null) => void;
}

/** Takes effect when it is left, or by Enter. */
function NumberField({ id, label, value, least, whole, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const number = Number(typed);
  const wrong = typed !== null && typed.trim() !== '' && !(number >= least && (!whole || Number.isInteger(number)));

  function take() {
    if (typed === null || wrong) return;
    onChange(typed.trim() === '' ? null : number);
    setTyped(null);
  }

  return (
    <Field id={id} label={label} error={wrong ? `${whole ? 'A whole number' : 'A number'} from ${least} on.` : null}>
      <Input
        id={id}
        inputMode={whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={typed ?? (value === null ? '' : String(value))}
        aria-invalid={wrong || undefined}
        aria-describedby={`${id}-error`}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Enter') take();
        }}
      />
    </Field>
  );
}
