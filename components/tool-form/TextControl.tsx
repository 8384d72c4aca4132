'use client';

import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';

const MOST_LINES = 14;

/** Text in one line or, once it has a line break, in several. Emptied by hand means: not sent. */
export function TextControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const text = typeof value === 'string' ? value : '';
  const [several, setSeveral] = useState(plan.control === 'multiline' || text.includes('\n'));
  if (!several && text.includes('\n')) setSeveral(true);
  const common = {
    ...names,
    value: text,
    placeholder: value === '' ? 'empty text' : value === null ? 'null' : emptyWords(plan),
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    onBlur: () => onVisit(pointer),
  };
  if (several) {
    const lines = Math.min(MOST_LINES, Math.max(3, text.split('\n').length + 1));
    return <Textarea {...common} rows={lines} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)} />;
  }
  return (
    <Input
      {...common}
      type="text"
      inputMode={plan.keyboard}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  );
}

/** A secret: masked until it is asked for. */
export function PasswordControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const [shown, setShown] = useState(false);
  return (
    <span className="relative flex">
      <Input
        {...names}
        type={shown ? 'text' : 'password'}
        value={typeof value === 'string' ? value : ''}
        placeholder={emptyWords(plan)}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        onBlur={() => onVisit(pointer)}
        className="pr-10"
      />
      <IconButton
        size="sm"
        label={shown ? 'Hide what is typed' : 'Show what is typed'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute top-1/2 right-0.5 -translate-y-1/2"
      >
        {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </IconButton>
    </span>
  );
}
