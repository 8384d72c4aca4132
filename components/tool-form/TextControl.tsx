'use client';

import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { useLines } from './use-lines.ts';

const MOST_LINES = 14;

/** Text in one line or, once it has a line break, in several. Emptied by hand means: not sent. */
export function TextControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const text = typeof value === 'string' ? value : '';
  const type = (next: string) => onChange(next === '' ? undefined : next);
  const { several, area, ...line } = useLines(text, plan.control === 'multiline', type);
  const common = {
    ...names,
    value: text,
    placeholder: value === '' ? 'empty text' : value === null ? 'null' : emptyWords(plan),
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    onBlur: () => onVisit(pointer),
  };
  if (several) return <Textarea {...common} ref={area} rows={linesOf(text)} onChange={(event) => type(event.target.value)} />;
  return <Input {...common} {...line} type="text" inputMode={plan.keyboard} onChange={(event) => type(event.target.value)} />;
}

function linesOf(text: string): number {
  return Math.min(MOST_LINES, Math.max(3, text.split('\n').length + 1));
}

/** A secret: masked until it is asked for, also one of several lines, as a key is. */
export function PasswordControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const [shown, setShown] = useState(false);
  const text = typeof value === 'string' ? value : '';
  const type = (next: string) => onChange(next === '' ? undefined : next);
  const { several, area, ...line } = useLines(text, false, type);
  const common = {
    ...names,
    value: text,
    placeholder: emptyWords(plan),
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    onBlur: () => onVisit(pointer),
  };
  return (
    <span className="relative flex">
      {several ? (
        <Textarea
          {...common}
          ref={area}
          rows={linesOf(text)}
          onChange={(event) => type(event.target.value)}
          className={cx('pr-10', !shown && '[-webkit-text-security:disc]')}
        />
      ) : (
        <Input {...common} {...line} type={shown ? 'text' : 'password'} onChange={(event) => type(event.target.value)} className="pr-10" />
      )}
      <IconButton
        size="sm"
        label={shown ? 'Hide what is typed' : 'Show what is typed'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className={cx('absolute right-0.5', several ? 'top-0.5' : 'top-1/2 -translate-y-1/2')}
      >
        {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      </IconButton>
    </span>
  );
}
