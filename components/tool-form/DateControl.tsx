'use client';

import { useState, useSyncExternalStore } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { localWords, pickedText, sentText, utcOf } from '#components/ui/date-text.ts';
import type { DateKind } from '#components/ui/date-text.ts';
import { DateInput } from '#components/ui/DateInput.tsx';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';

/** A date or time, as it was typed; what goes out for it stands below where that is something else. */
export function DateControl({ kind, ...props }: ControlProps & { kind: DateKind }) {
  const { plan, pointer, name, value, onChange } = props;
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const { text, type } = useTyped(kind, props);
  const says = useWords(text, value);
  const saysId = `${names.id}-says`;

  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center gap-2">
        <DateInput
          {...names}
          kind={kind}
          name={name}
          aria-describedby={says === null ? names['aria-describedby'] : `${saysId} ${names['aria-describedby']}`}
          value={text}
          placeholder={value === null ? 'null' : emptyWords(plan)}
          onType={type}
          onPick={(picked) => type(pickedText(kind, picked, text) ?? '')}
          onBlur={() => onVisit(pointer)}
        />
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
