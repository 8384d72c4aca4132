'use client';

import { useState, useSyncExternalStore } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { localWords, pickedText, sentText, utcOf } from '#components/ui/date-text.ts';
import type { DateKind } from '#components/ui/date-text.ts';
import { DateInput } from '#components/ui/DateInput.tsx';
import { type ControlProps, emptyWords, useControlNames, useFormView } from './form-view.tsx';
import { useStoredInput, useStoreInput } from './incomplete-input.ts';

/** Shows the text as typed, and below it what is sent if that differs. */
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

/** The typed text, as long as it is what is sent. */
function useTyped(kind: DateKind, { pointer, value, onChange }: ControlProps) {
  const kept = useStoredInput(pointer);
  const [typed, setTyped] = useState(kept);
  const isCurrent = typed !== null && sentText(kind, typed) === value;
  useStoreInput(pointer, isCurrent && typed !== value ? typed : null);

  function type(next: string) {
    setTyped(next);
    onChange(next === '' ? undefined : sentText(kind, next));
  }

  return { text: isCurrent ? typed : typeof value === 'string' ? value : '', type };
}

/** What is sent if it differs from the text; else the value in local time. */
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
