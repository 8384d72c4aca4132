'use client';

import { useEffect, useState } from 'react';
import { Textarea } from '#components/ui/Field.tsx';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { readJson, writeJson } from './json-text.ts';
import { sameJson } from './same-json.ts';

const MOST_LINES = 16;

/** One part of the arguments as JSON, with the reason why it is not shown as fields. */
export function JsonControl({ plan, pointer, value, onChange, why }: ControlProps & { why?: string }) {
  const names = useControlNames(pointer);
  const { onVisit, onTouch, onUnsendable } = useFormView();
  const [typed, setTyped] = useState<{ text: string; value: unknown; problem: string | null } | null>(null);
  const current = typed !== null && sameJson(typed.value, value) ? typed : null;
  const problem = current?.problem ?? null;
  const text = current?.text ?? (value === undefined ? '' : writeJson(value));

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  function type(next: string) {
    if (next.trim() === '') {
      setTyped({ text: next, value: undefined, problem: null });
      onChange(undefined);
      return;
    }
    const reading = readJson(next);
    if (reading.ok) {
      setTyped({ text: next, value: reading.value, problem: null });
      onChange(reading.value);
    } else {
      onTouch(pointer);
      setTyped({
        text: next,
        value,
        problem: `Line ${reading.problem.line}, column ${reading.problem.column}: ${reading.problem.message}`,
      });
    }
  }

  return (
    <>
      <Textarea
        {...names}
        value={text}
        rows={Math.min(MOST_LINES, Math.max(2, text.split('\n').length))}
        placeholder={
          plan.fallback === null
            ? 'not sent; write JSON, for example "text", 1 or {"name": "value"}'
            : `default: ${JSON.stringify(plan.fallback.value)}`
        }
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onBlur={() => onVisit(pointer)}
        className="min-h-8 font-mono text-sm"
      />
      <p className="text-xs text-muted">{why ?? plan.why} Edited as JSON.</p>
    </>
  );
}
