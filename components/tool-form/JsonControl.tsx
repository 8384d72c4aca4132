'use client';

import { useContext, useEffect, useMemo, useState } from 'react';
import type { ControlProps } from './controls.ts';
import type { FormSchema } from './field-plan.ts';
import { fieldIdOf, IssuesContext, useControlNames, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';
import type { IssueMap } from './issues.ts';
import { readJson, writeJson } from './json-text.ts';
import type { JsonProblem } from './json-text.ts';
import { JsonText } from './JsonText.tsx';
import { isWithin, pointerInWords } from './pointer.ts';
import { sameJson } from './same-json.ts';

const MOST_LINES = 16;
const MOST_NAMED = 5;

/** One part of the arguments as JSON, with the reason why it is not shown as fields. */
export function JsonControl({
  plan,
  part,
  pointer,
  path,
  value,
  required,
  stays,
  onChange,
  why,
}: ControlProps & { part: FormSchema; why?: string }) {
  const { 'aria-invalid': isInvalid, ...names } = useControlNames(pointer);
  const issues = useContext(IssuesContext);
  const within = useMemo(() => issuesWithin(issues, pointer), [issues, pointer]);
  const inside = [...within].filter(([path]) => path !== '');
  const { disabled, onVisit, onTouch, onUnsendable } = useFormView();
  const half = useFirstHalf(pointer);
  const [typed, setTyped] = useState<{ text: string; value: unknown; problem: JsonProblem | null } | null>(() => {
    const reading = half === null ? null : readJson(half, path.length);
    return half === null || reading === null || reading.ok ? null : { text: half, value, problem: reading.problem };
  });
  // A list has no holes: where nothing was typed yet it holds null, which stands in grey and is typed over.
  const isBlank = value === undefined || (value === null && stays);
  const current = typed !== null && (sameJson(typed.value, value) || (typed.value === undefined && isBlank)) ? typed : null;
  const problem = current?.problem ?? null;
  const said = problem === null ? null : `Line ${problem.line}, column ${problem.column}: ${problem.message}`;
  const text = current?.text ?? (isBlank ? '' : writeJson(value));

  useKeptHalf(pointer, problem === null ? null : text);

  useEffect(() => {
    onUnsendable(pointer, said);
    return () => onUnsendable(pointer, null);
  }, [pointer, said, onUnsendable]);

  function type(next: string) {
    if (next.trim() === '') {
      setTyped({ text: next, value: undefined, problem: null });
      onChange(undefined);
      return;
    }
    const reading = readJson(next, path.length);
    if (reading.ok) {
      setTyped({ text: next, value: reading.value, problem: null });
      onChange(reading.value);
    } else {
      onTouch(pointer);
      setTyped({ text: next, value, problem: reading.problem });
    }
  }

  return (
    <>
      <JsonText
        text={text}
        onText={type}
        form={part}
        problem={problem}
        issues={within}
        attributes={{
          ...names,
          'aria-labelledby': `${fieldIdOf(pointer)}-label`,
          ...(isInvalid === true ? { 'aria-invalid': 'true' } : {}),
        }}
        disabled={disabled || (plan.readOnly && !required && value === undefined)}
        readOnly={false}
        least={2}
        most={MOST_LINES}
        hint={
          plan.fallback === null || value === null
            ? `${value === null ? 'null' : 'not sent'}; write JSON, for example "text", 1 or {"name": "value"}`
            : `default: ${JSON.stringify(plan.fallback.value)}`
        }
        onLeave={() => onVisit(pointer)}
      />
      {inside.slice(0, MOST_NAMED).map(([path, messages]) => (
        <p key={path} className="foreign text-xs font-medium text-failed">
          {pointerInWords(path, value)}: {messages.join(' ')}
        </p>
      ))}
      {inside.length > MOST_NAMED ? <p className="text-xs text-muted">and {inside.length - MOST_NAMED} more</p> : null}
      <p className="text-xs text-muted">{why ?? plan.why} Edited as JSON.</p>
    </>
  );
}

/** Those of this part, as seen from it. */
function issuesWithin(issues: IssueMap, pointer: string): IssueMap {
  const own = [...issues].filter(([path]) => isWithin(path, pointer));
  return new Map(own.map(([path, messages]) => [path.slice(pointer.length), messages]));
}
