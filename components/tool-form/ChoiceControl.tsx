'use client';

import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Checkbox, Input, Select } from '#components/ui/Field.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import type { Choice } from './field-plan.ts';
import { choicesOf } from './form-plan.ts';
import { type ControlProps, inShort, labelAmong, useControlNames, useFormView } from './form-view.tsx';
import { useInvalidInput, useStoredInput } from './incomplete-input.ts';
import { sameJson } from './json-text.ts';

const MANY = 40;

export function ChoiceControl(props: ControlProps) {
  return props.plan.choices.length > MANY ? <SearchChoice {...props} /> : <SelectChoice {...props} />;
}

function SelectChoice({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const values = plan.choices.map((choice, index) =>
    optionValue(
      choice.value,
      index,
      plan.choices.map((each) => each.value),
    ),
  );
  const at = plan.choices.findIndex((choice) => sameJson(choice.value, value));
  const nullChosen = value === null && at === -1;
  const words = plan.choices[at]?.description ?? null;
  const defaultValue = plan.defaultValue === null ? '' : ` (default: ${labelAmong(plan.choices, plan.defaultValue.value)})`;
  const none = required ? 'Choose…' : `not sent${defaultValue}`;
  return (
    <>
      <Select
        {...names}
        options={[
          ['', none],
          ...plan.choices.map(({ label }, index) => [values[index] ?? '', label] as const),
          ...(plan.nullable ? [[NULL, 'null'] as const] : []),
        ]}
        value={nullChosen ? NULL : (values[at] ?? '')}
        onBlur={() => onVisit(pointer)}
        onChange={(chosen) => onChange(chosen === NULL ? null : plan.choices[values.indexOf(chosen)]?.value)}
      />
      {words === null || words === plan.description ? null : <p className="foreign text-xs text-muted">{words}</p>}
    </>
  );
}

const NULL = '\u0000null';

/** The value itself if it is an unambiguous text, so that it can be selected by its text. */
function optionValue(value: unknown, index: number, all: readonly unknown[]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const alone = all.filter((other) => (typeof other === 'string' ? other : JSON.stringify(other)) === text).length === 1;
  return text !== '' && alone ? text : `\u0000${index}`;
}

export function ChoicesControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div
      id={names.id}
      data-path={pointer}
      role="group"
      tabIndex={-1}
      aria-labelledby={`${names.id}-label`}
      aria-describedby={names['aria-describedby']}
      className="flex flex-wrap gap-x-4 gap-y-1 rounded"
    >
      {plan.choices.map((choice) => {
        const on = chosen.some((each) => sameJson(each, choice.value));
        return (
          <label key={JSON.stringify(choice.value)} className="inline-flex min-h-7 items-center gap-2 pointer-coarse:min-h-10">
            <Checkbox
              checked={on}
              onBlur={(event) => {
                if (leavesField(event)) onVisit(pointer);
              }}
              onChange={() => {
                const next = on ? chosen.filter((one) => !sameJson(one, choice.value)) : [...chosen, choice.value];
                onChange(next.length === 0 ? undefined : next);
              }}
            />
            {choice.label}
          </label>
        );
      })}
    </div>
  );
}

export function BooleanControl({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const choices: { label: string; value: boolean | null | undefined }[] = [
    { label: 'true', value: true },
    { label: 'false', value: false },
  ];
  if (plan.nullable) choices.push({ label: 'null', value: null });
  if (!required)
    choices.push({ label: plan.defaultValue === null ? 'not sent' : `not sent (${inShort(plan.defaultValue.value)})`, value: undefined });
  return (
    <div
      id={names.id}
      data-path={pointer}
      role="radiogroup"
      tabIndex={-1}
      aria-labelledby={`${names.id}-label`}
      aria-describedby={names['aria-describedby']}
      aria-required={required}
      className={cx(
        'inline-flex max-w-full flex-wrap self-start rounded border border-control-line bg-panel',
        names['aria-invalid'] === true && 'border-failed',
      )}
    >
      {choices.map((choice) => {
        const chosen = value === choice.value;
        return (
          <label
            key={choice.label}
            className={cx(
              'relative inline-flex h-7.5 items-center border-l border-line px-3 text-base first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] has-[:focus-visible]:z-10 has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent pointer-coarse:h-10',
              chosen
                ? choice.value === undefined
                  ? 'bg-subtle text-muted'
                  : 'bg-accent-soft font-medium text-fg'
                : 'text-muted hover:bg-hover hover:text-fg',
            )}
          >
            <input
              type="radio"
              name={names.id}
              checked={chosen}
              onChange={() => onChange(choice.value)}
              onBlur={(event) => {
                if (leavesField(event)) onVisit(pointer);
              }}
              className="absolute inset-0 cursor-pointer appearance-none rounded-[5px] outline-none"
            />
            {choice.label}
          </label>
        );
      })}
    </div>
  );
}

/** Moving between the choices of a field does not leave it. */
function leavesField(event: FocusEvent): boolean {
  return event.currentTarget.closest('[data-path]')?.contains(event.relatedTarget) !== true;
}

const MAX_SHOWN = 50;

interface Typed {
  readonly text: string;
  readonly value: unknown;
  readonly problem: string | null;
}

/** Unknown text stays visible and blocks the run. */
function SearchChoice({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const choices = plan.nullable ? choicesOf([...plan.choices, { value: null, label: 'null' }]) : plan.choices;
  const half = useStoredInput(pointer);
  const [typed, setTyped] = useState<Typed | null>(() => (half === null ? null : readChoice(half, choices)));
  // Lists have no holes: an empty item holds null.
  const current = typed !== null && sameJson(typed.value ?? null, value ?? null) ? typed : null;
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const chosen = choices.find((choice) => sameJson(choice.value, value));
  const found = findChoices(choices, current?.text ?? '');
  const shown = found.slice(0, MAX_SHOWN);
  const problem = current?.problem ?? null;

  useInvalidInput(pointer, problem, current?.text ?? null);

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
          plan.defaultValue !== null
            ? `default: ${labelAmong(plan.choices, plan.defaultValue.value)}`
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
            // Keeps the focus in the field.
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
        {found.length > MAX_SHOWN ? (
          <div role="presentation" className="px-2 py-1 text-xs text-muted">
            and {found.length - MAX_SHOWN} more; type to narrow
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

function findChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const fitting = choices.filter((choice) => choice.label.toLowerCase().includes(wanted));
  const begins = (choice: Choice) => choice.label.toLowerCase().startsWith(wanted);
  return [...fitting.filter(begins), ...fitting.filter((choice) => !begins(choice))];
}
