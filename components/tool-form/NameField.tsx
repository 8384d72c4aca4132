'use client';

import { useContext, useEffect, useState } from 'react';
import { Input } from '#components/ui/Field.tsx';
import type { Path } from './edit-payload.ts';
import { fieldIdOf, IssuesContext, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';
import { nameOf, pointerOf } from './pointer.ts';
import { fitsPattern } from '#lib/contract/quick-pattern.ts';

interface NameProps {
  readonly path: Path;
  readonly name: string;
  readonly taken: readonly string[];
  readonly patterns: readonly string[];
  readonly onRename: (to: string) => void;
}

/**
 * The name of an entry. It counts with each letter, so that what stands here is what is sent; a name that cannot be had stays in
 * sight, the entry keeps the one before, and the form cannot be run.
 */
export function NameField({ path, name, taken, patterns, onRename }: NameProps) {
  const pointer = nameOf(pointerOf(path));
  const half = useFirstHalf(pointer);
  const [typed, setTyped] = useState(half === null ? null : { text: half, instead: name });
  const { disabled, onTouch, onVisit, onUnsendable } = useFormView();
  const text = typed?.instead === name ? typed.text : name;
  const wrong = useContext(IssuesContext).get(pointer) ?? [];
  const problem = problemWith(text, name, taken, patterns);
  const id = fieldIdOf(pointer);

  useKeptHalf(pointer, text === name ? null : text);

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  function type(next: string) {
    onTouch(pointer);
    if (cannotBeHad(next, name, taken)) return setTyped({ text: next, instead: name });
    setTyped(null);
    if (next !== name) onRename(next);
  }

  return (
    <span className="flex w-36 max-w-[40%] shrink-0 flex-col gap-1">
      <Input
        id={id}
        data-path={pointer}
        aria-label={`Name of ${name}`}
        aria-invalid={wrong.length > 0 || undefined}
        aria-describedby={`${id}-issues`}
        value={text}
        disabled={disabled}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onBlur={() => onVisit(pointer)}
      />
      <span id={`${id}-issues`} className="foreign text-xs font-medium text-failed empty:hidden">
        {wrong.join(' ')}
      </span>
    </span>
  );
}

function cannotBeHad(text: string, name: string, taken: readonly string[]): boolean {
  return text === '__proto__' || (text !== name && taken.includes(text));
}

function problemWith(text: string, name: string, taken: readonly string[], patterns: readonly string[]): string | null {
  if (text === '__proto__') return 'The name "__proto__" is refused by the server. Choose another.';
  if (cannotBeHad(text, name, taken)) return `The name "${text}" is taken. Choose another.`;
  if (patterns.length === 0 || patterns.some((pattern) => fitsPattern(pattern, text) !== false)) return null;
  return `A name here fits ${patterns.length === 1 ? 'the pattern' : 'one of the patterns'} ${patterns.join(', ')}.`;
}
