'use client';

import { useContext, useEffect, useMemo, useState } from 'react';
import { Select } from '#components/ui/Field.tsx';
import type { ControlProps } from './controls.ts';
import type { Path } from './edit-payload.ts';
import type { UnionOption } from './field-plan.ts';
import { planAt } from './form-plan.ts';
import { fieldIdOf, FormViewContext, IssuesContext } from './form-view.ts';
import type { FormView } from './form-view.ts';
import { isJsonObject } from './json-text.ts';
import { isSaid, matchOption, optionOfNothing, valueForOption } from './union-option.ts';
import { NestedField } from './NestedField.tsx';

const NULL = 'null';

/**
 * A value that may have one of several forms: which one, then the fields of that one. What a person chose stays chosen while he
 * fills it in, even where another form would fit as well; a value that comes from elsewhere finds its own.
 */
export function UnionControl({ plan, pointer, path, name, value, required, stays, onChange }: ControlProps) {
  const view = useContext(FormViewContext);
  const [chosen, setChosen] = useState<number | null>(null);
  const { options } = plan;
  const untouched = pointer === '' && isJsonObject(value) && Object.keys(value).length === 0;
  const matched = untouched ? (chosen ?? optionOfNothing(options)) : matchOption(options, value, chosen);
  const open = matched === -1 ? chosen : matched;
  const option = open === null ? undefined : options[open];
  const id = fieldIdOf(pointer);
  const words = option === undefined ? [] : wordsOf(option, value).filter((each) => each !== plan.description);
  const isOpen = option === undefined && !(value === null && plan.nullable);
  const asked = isOpen ? `Choose a form first: ${options.map((each) => each.title).join(', ')}.` : null;
  const isWrong = useContext(IssuesContext).has(pointer);
  const { onUnchosen } = view;

  useEffect(() => {
    onUnchosen(pointer, asked);
    return () => onUnchosen(pointer, null);
  }, [pointer, asked, onUnchosen]);

  // An edit in the chosen form says which one is meant.
  const within = useMemo<FormView>(
    () => ({
      ...view,
      onEdit: (at: Path, next: unknown) => {
        if (open !== null) setChosen(open);
        view.onEdit(at, next);
      },
    }),
    [view, open],
  );

  function choose(choice: string) {
    if (choice === NULL) return onChange(null);
    const next = choice === '' ? null : Number(choice);
    setChosen(next);
    const nothing = pointer === '' ? {} : stays ? null : undefined;
    const wanted = next === null ? undefined : options[next];
    onChange((wanted === undefined ? undefined : valueForOption(wanted, value)) ?? nothing);
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Select
        id={`${id}-form`}
        aria-label={`Form of ${name === '' ? 'the arguments' : name}`}
        disabled={view.disabled}
        value={value === null && plan.nullable ? NULL : open === null ? '' : String(open)}
        onBlur={() => view.onVisit(pointer)}
        onChange={(event) => choose(event.target.value)}
        aria-describedby={`${id}-issues`}
        aria-invalid={(isOpen && isWrong) || undefined}
        {...(option === undefined ? { 'data-path': pointer } : {})}
      >
        <option value="">{required || pointer === '' ? 'Choose a form…' : 'not sent'}</option>
        {[...options.entries()].map(([place, each]) => (
          <option key={place} value={place}>
            {each.title}
          </option>
        ))}
        {plan.nullable ? <option value={NULL}>null</option> : null}
      </Select>
      {words.map((each) => (
        <p key={each} className="foreign text-xs text-muted">
          {each}
        </p>
      ))}
      {option === undefined || (value === null && plan.nullable) ? null : (
        <FormViewContext value={within}>
          <NestedField
            key={open}
            part={option.part}
            path={path}
            value={value}
            required
            bare
            shared
            stays={stays}
            mark={option.mark}
            called={name}
          />
        </FormViewContext>
      )}
    </div>
  );
}

/** What the chosen form says of itself, and of the value that marks it where that has no field of its own. */
function wordsOf({ part, mark }: UnionOption, value: unknown): readonly string[] {
  const plan = planAt(part, value);
  const marked = isJsonObject(value) ? plan.fields.find((field) => field.name === mark && isSaid(field, mark, value)) : undefined;
  const words = [plan.description, marked === undefined ? null : planAt(marked.part, undefined).description];
  return [...new Set(words.filter((each) => each !== null))];
}
