'use client';

import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { Input } from '#components/ui/Field.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { inShort, labelAmong } from './controls.ts';
import type { ControlProps } from './controls.ts';
import type { Choice } from './field-plan.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { useFirstHalf, useKeptHalf } from './half-written.ts';
import { choicesOf } from './option-title.ts';
import { sameJson } from './same-json.ts';

const MOST_SHOWN = 50;

interface Typed {
  readonly text: string;
  readonly value: unknown;
  readonly problem: string | null;
}

/** One of a long closed list, found by typing. Text that is none of them stays in sight and keeps the form from being run. */
export function SearchChoice({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit, onUnsendable } = useFormView();
  const choices = plan.nullable ? choicesOf([...plan.choices, { value: null, label: 'null' }]) : plan.choices;
  const half = useFirstHalf(pointer);
  const [typed, setTyped] = useState<Typed | null>(() => (half === null ? null : readChoice(half, choices)));
  // A list has no holes: where nothing stands yet it holds null.
  const current = typed !== null && sameJson(typed.value ?? null, value ?? null) ? typed : null;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const chosen = choices.find((choice) => sameJson(choice.value, value));
  const found = findChoices(choices, current?.text ?? '');
  const shown = found.slice(0, MOST_SHOWN);
  const problem = current?.problem ?? null;

  useKeptHalf(pointer, problem === null ? null : (current?.text ?? null));

  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);

  useEffect(() => {
    if (open) list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [open, active]);

  function type(text: string) {
    const next = readChoice(text, choices);
    setTyped(next);
    setActive(0);
    setOpen(true);
    onChange(next.value);
  }

  function pick(choice: Choice | undefined) {
    if (choice === undefined) return;
    onChange(choice.value);
    setTyped(null);
    setOpen(false);
  }

  function onKeyDown(event: KeyboardEvent) {
    const key = pressedKey(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (open) setActive(Math.min(Math.max(active + (key === 'ArrowDown' ? 1 : -1), 0), shown.length - 1));
      setOpen(true);
    } else if (key === 'Enter' && open) {
      event.preventDefault();
      pick(shown[active]);
    } else if (key === 'Escape' && open) {
      event.stopPropagation();
      setOpen(false);
    }
  }

  return (
    <div className="relative">
      <Input
        {...names}
        role="combobox"
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && shown.length > 0 ? `${listId}-${active}` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={current?.text ?? chosen?.label ?? ''}
        placeholder={
          plan.fallback !== null
            ? `default: ${labelAmong(plan.choices, plan.fallback.value)}`
            : `${required ? 'Type to find' : 'Not sent; type to find'} one of ${choices.length}`
        }
        onChange={(event) => type(event.target.value)}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setOpen(false);
          if (problem === null) setTyped(null);
          onVisit(pointer);
        }}
      />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Values"
        hidden={!open}
        className="absolute inset-x-0 top-full z-20 mt-1 max-h-64 overflow-y-auto rounded border bg-raised p-1 shadow-overlay"
      >
        {shown.map((choice, index) => (
          <div
            key={choice.label}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // The focus stays in the field.
            onMouseDown={(event) => event.preventDefault()}
            onMouseUp={() => pick(choice)}
            className={cx(
              'cursor-default truncate rounded-sm px-2 py-1 pointer-coarse:py-2',
              index === active && 'bg-hover',
              choice === chosen && 'font-medium',
            )}
          >
            {choice.label}
          </div>
        ))}
        {found.length > MOST_SHOWN ? (
          <div role="presentation" className="px-2 py-1 text-xs text-muted">
            and {found.length - MOST_SHOWN} more; type to narrow
          </div>
        ) : null}
        {found.length === 0 ? (
          <div role="presentation" className="px-2 py-1 text-sm text-muted">
            No value contains this.
          </div>
        ) : null}
      </div>
    </div>
  );
}

function readChoice(text: string, choices: readonly Choice[]): Typed {
  const exact = choices.find((choice) => choice.label === text);
  const none = `"${inShort(text)}" is none of the ${choices.length} values. Choose one from the list.`;
  return { text, value: exact?.value, problem: text === '' || exact !== undefined ? null : none };
}

/** What begins with the text stands before what only contains it. */
function findChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const fitting = choices.filter((choice) => choice.label.toLowerCase().includes(wanted));
  const begins = (choice: Choice) => choice.label.toLowerCase().startsWith(wanted);
  return [...fitting.filter(begins), ...fitting.filter((choice) => !begins(choice))];
}
