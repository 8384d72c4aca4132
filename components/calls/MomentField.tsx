'use client';

import { useState } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';

export interface MomentFieldProps {
  id: string;
  label: string;
  value: Date | null;
  onChange: (value: Date | null) => void;
}

/** A date and time in UTC, as times are written everywhere on the pages. Takes effect when it is left, or by Enter. */
export function MomentField({ id, label, value, onChange }: MomentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [isPartial, setPartial] = useState(false);

  function take(input: HTMLInputElement) {
    setPartial(input.validity.badInput);
    if (input.validity.badInput || typed === null) return;
    const picked = typed === '' ? null : new Date(`${typed}Z`);
    setTyped(null);
    if (picked?.getTime() !== value?.getTime()) onChange(picked);
  }

  return (
    <Field id={id} label={label} error={isPartial ? 'A whole date with its time, or nothing.' : null}>
      <Input
        id={id}
        type="datetime-local"
        value={typed ?? value?.toISOString().slice(0, 16) ?? ''}
        aria-invalid={isPartial || undefined}
        aria-describedby={`${id}-error`}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={(event) => take(event.target)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take(event.currentTarget);
        }}
      />
    </Field>
  );
}
