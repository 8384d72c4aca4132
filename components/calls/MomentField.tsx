'use client';

import { useState } from 'react';
import { momentIn } from '#components/ui/date-text.ts';
import { Field } from '#components/ui/Field.tsx';
import { MOMENT_WANTED, MomentInput } from '#components/ui/MomentInput.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { minuteOf } from '#components/ui/times.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';

export interface MomentFieldProps {
  id: string;
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
  /** Of a day without a time, its beginning counts, or its end. */
  day: 'begins' | 'ends';
}

/** A date and time in the zone of the pages, which the label names. Takes effect when it is left, by Enter, and when it is picked. */
export function MomentField({ id, label, value, onChange, day }: MomentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const { clock, isLocal } = useTimeZone();
  const name = `${label}, ${isLocal ? 'local time' : 'UTC'}`;

  function type(text: string) {
    setTyped(text);
    setWrong(false);
  }

  function take(text: string | null) {
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
    <Field id={id} label={name} error={isWrong ? MOMENT_WANTED : null}>
      <MomentInput
        id={id}
        name={name}
        value={typed ?? (value === null ? '' : minuteOf(value.toISOString(), clock).slice(0, 16))}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? `${id}-error` : undefined}
        onType={type}
        onPicked={take}
        onBlur={() => take(typed)}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Enter') take(typed);
        }}
      />
    </Field>
  );
}
