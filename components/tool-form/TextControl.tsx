'use client';

import { useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { BESIDE_ONE_LINE, RevealButton } from './RevealButton.tsx';
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
      <RevealButton shown={shown} onShown={setShown} className={several ? 'top-0.5' : BESIDE_ONE_LINE} />
    </span>
  );
}
