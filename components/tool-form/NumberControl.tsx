'use client';

import { useEffect, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Input } from '#components/ui/Field.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { emptyWords } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';
import { readNumber, stepped } from './number-text.ts';
import { BESIDE_ONE_LINE, RevealButton } from './RevealButton.tsx';

/**
 * A number typed as text: a browser's own number field hides what it cannot read, and then sends nothing without a word.
 * Here such text stays in sight and keeps the form from being run. Arrow up and down count.
 */
export function NumberControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit, onUnsendable } = useFormView();
  const half = useFirstHalf(pointer);
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState<{ text: string; value: number | bigint | undefined; problem: string | null } | null>(() =>
    half === null ? null : { text: half, ...readNumber(half) },
  );
  const current = typed !== null && (typed.value ?? null) === (value ?? null) ? typed : null;
  const problem = current?.problem ?? null;

  useKeptHalf(pointer, problem === null ? null : (current?.text ?? null));

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  function type(text: string) {
    const reading = readNumber(text);
    setTyped({ text, ...reading });
    onChange(reading.value);
  }

  function count(event: KeyboardEvent) {
    const direction = pressedKey(event) === 'ArrowUp' ? 1 : pressedKey(event) === 'ArrowDown' ? -1 : 0;
    if (direction === 0 || problem !== null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = isNumber(value) ? value : isNumber(plan.fallback?.value) ? plan.fallback.value : 0;
    type(String(stepped(from, direction * (plan.step ?? 1))));
  }

  const field = (
    <Input
      {...names}
      type={plan.secret && !shown ? 'password' : 'text'}
      inputMode={plan.keyboard === 'numeric' ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={current?.text ?? (isNumber(value) ? String(value) : '')}
      placeholder={value === null && plan.nullable ? 'null' : emptyWords(plan)}
      onChange={(event) => type(event.target.value)}
      onKeyDown={count}
      onBlur={() => {
        if (problem === null) setTyped(null);
        onVisit(pointer);
      }}
      className={plan.secret ? 'tabular pr-10' : 'tabular'}
    />
  );
  if (!plan.secret) return field;
  return (
    <span className="relative flex">
      {field}
      <RevealButton shown={shown} onShown={setShown} className={BESIDE_ONE_LINE} />
    </span>
  );
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
