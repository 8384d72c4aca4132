'use client';

import { CalendarDays, Clock } from 'lucide-react';
import { useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { localWords, pickedText, pickerText, sentText, utcOf } from './date-text.ts';
import type { DateKind } from './date-text.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';
import { BESIDE_ONE_LINE } from './RevealButton.tsx';

const PICKERS = {
  date: { type: 'date', max: '9999-12-31', verb: 'Pick a date', icon: <CalendarDays aria-hidden /> },
  time: { type: 'time', max: undefined, verb: 'Pick a time', icon: <Clock aria-hidden /> },
  'date-time': { type: 'datetime-local', max: '9999-12-31T23:59:59', verb: 'Pick date and time', icon: <CalendarDays aria-hidden /> },
} as const;

/**
 * A date or time typed as text: a browser's own field for one says nothing of what is half typed, so that it could be
 * neither kept nor sent on. Its picker is at hand beside it.
 */
export function DateControl({ kind, ...props }: ControlProps & { kind: DateKind }) {
  const { plan, pointer, name, value, onChange } = props;
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const { text, type } = useTyped(kind, props);
  const says = useWords(text, value);
  const { verb, icon, ...native } = PICKERS[kind];
  const picker = useRef<HTMLInputElement>(null);
  const saysId = `${names.id}-says`;

  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center gap-2">
        <span className="relative flex min-w-0 flex-1">
          <Input
            {...names}
            aria-describedby={says === null ? names['aria-describedby'] : `${saysId} ${names['aria-describedby']}`}
            type="text"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={text}
            placeholder={value === null ? 'null' : emptyWords(plan)}
            onChange={(event) => type(event.target.value)}
            onBlur={() => onVisit(pointer)}
            className="tabular pr-10"
          />
          <input
            {...native}
            ref={picker}
            step={kind === 'date' ? undefined : 1}
            tabIndex={-1}
            aria-hidden
            value={pickerText(kind, text)}
            onChange={(event) => type(pickedText(kind, event.target.value, text) ?? '')}
            className="pointer-events-none absolute inset-0 size-full opacity-0"
          />
          <IconButton
            size="sm"
            label={`${verb} for ${name}`}
            onClick={() => picker.current?.showPicker()}
            className={`absolute right-0.5 ${BESIDE_ONE_LINE}`}
          >
            {icon}
          </IconButton>
        </span>
        {kind === 'date-time' ? (
          <Button size="sm" variant="quiet" onClick={() => onChange(utcOf(new Date()) ?? undefined)}>
            Now
          </Button>
        ) : null}
      </span>
      {says === null ? null : (
        <span id={saysId} className="tabular text-xs text-muted">
          {says}
        </span>
      )}
    </span>
  );
}

/** What stands in the field: what was typed, as long as it is that which goes out as the value. */
function useTyped(kind: DateKind, { pointer, value, onChange }: ControlProps) {
  const kept = useFirstHalf(pointer);
  const [typed, setTyped] = useState(kept);
  const isCurrent = typed !== null && sentText(kind, typed) === value;
  useKeptHalf(pointer, isCurrent && typed !== value ? typed : null);

  function type(next: string) {
    setTyped(next);
    onChange(next === '' ? undefined : sentText(kind, next));
  }

  return { text: isCurrent ? typed : typeof value === 'string' ? value : '', type };
}

/** What goes out where that is not what stands in the field; else what a moment in another zone is here, which only the browser knows. */
function useWords(text: string, value: unknown): string | null {
  const local = useSyncExternalStore(
    neverChanges,
    () => localWords(text),
    () => null,
  );
  if (typeof value === 'string' && value !== text) return `Sent as ${value}`;
  return local === null ? null : `${local} in local time`;
}

function neverChanges() {
  return () => undefined;
}
