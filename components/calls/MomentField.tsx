'use client';

import { useState } from 'react';
import { momentIn } from '#components/ui/date-text.ts';
import { Field } from '#components/ui/Field.tsx';
import { MOMENT_WANTED, MomentInput } from '#components/ui/MomentInput.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';

export interface MomentFieldProps {
  id: string;
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
  /** Of a day without a time, its beginning counts, or its end. */
  day: 'begins' | 'ends';
}

const DAY_MS = 86_400_000;

/** A date and time in UTC, as times are written everywhere on the pages. Takes effect when it is left, by Enter, and when it is picked. */
export function MomentField({ id, label, value, onChange, day }: MomentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);

  function type(text: string) {
    setTyped(text);
    setWrong(false);
  }

  function take(text: string | null) {
    if (text === null) return;
    const named = momentIn(text, 'utc');
    setWrong(text.trim() !== '' && named === null);
    if (text.trim() !== '' && named === null) return;
    const moment = named !== null && named.isDay && day === 'ends' ? new Date(named.date.getTime() + DAY_MS) : (named?.date ?? null);
    setTyped(null);
    if (moment?.getTime() !== value?.getTime()) onChange(moment);
  }

  return (
    <Field id={id} label={label} error={isWrong ? MOMENT_WANTED : null}>
      <MomentInput
        id={id}
        name={label}
        value={typed ?? value?.toISOString().slice(0, 16).replace('T', ' ') ?? ''}
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
