'use client';

import { Plus, Search } from 'lucide-react';
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input, Select } from '#components/ui/Field.tsx';
import { FurtherFields } from './FurtherFields.tsx';
import type { UnionOption } from './field-plan.ts';
import { awaitsInWords, planAt } from './form-plan.ts';
import { type ControlProps, type FormView, FormViewContext, IssuesContext, NestedField, fieldIdOf, useFormView } from './form-view.tsx';
import { isWithin, pointerOf } from './issues.ts';
import { isJsonObject } from './json-text.ts';
import { type Path, isSaid, matchOption, optionOfNothing, valueForOption } from './payload.ts';
import type { SchemaNode } from './schema-node.ts';

const MANY = 16;
const DEEP = 8;

/** Schemas of enclosing objects, to detect recursion. */
const Around = createContext<readonly SchemaNode[]>([]);

export function ObjectControl({ plan, pointer, path, name, value, required, mark }: ControlProps) {
  const { disabled } = useFormView();
  const around = useContext(Around);
  const within = useMemo(() => [...around, plan.node], [around, plan.node]);
  const wrong = [...useContext(IssuesContext).keys()];
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState('');
  const endless = around.includes(plan.node);
  const closed = !opened && !isJsonObject(value) && (endless || (!required && around.length >= DEEP));
  const shown = isJsonObject(value) ? value : {};
  const search = wanted.trim().toLowerCase();
  // Invalid fields are shown whatever the search.
  const isWrong = (at: string) => wrong.some((each) => isWithin(each, at));
  const fields = plan.fields.filter(
    (field) =>
      isWrong(pointerOf([...path, field.name])) ||
      (!isSaid(field, mark, shown) &&
        (search === '' || field.name.toLowerCase().includes(search) || JSON.stringify(field.part.schema).toLowerCase().includes(search))),
  );
  const titleOf = (called: string) => {
    const field = plan.fields.find((each) => each.name === called);
    return (field === undefined ? null : planAt(field.part, shown[called]).title) ?? called;
  };
  const frame = {
    tabIndex: -1,
    className: 'flex min-w-0 flex-col gap-4 rounded outline-offset-4',
    id: fieldIdOf(pointer),
    'data-path': pointer,
  };
  if (closed) {
    return (
      <div {...frame}>
        <Button size="sm" icon={<Plus aria-hidden />} disabled={disabled} onClick={() => setOpened(true)} className="self-start">
          Fill in {name}
        </Button>
      </div>
    );
  }
  return (
    <Around value={within}>
      <div {...frame}>
        {plan.fields.length > MANY ? (
          <div className="relative">
            <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
            <Input
              type="search"
              aria-label={pointer === '' ? 'Find a field' : `Find a field of ${name}`}
              placeholder={`Find one of ${plan.fields.length} fields`}
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
              className="pl-8"
            />
          </div>
        ) : null}
        {fields.map((field) => (
          <div
            key={field.name}
            className={plan.fields.length > MANY ? 'min-w-0 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]' : 'contents'}
          >
            <NestedField
              part={field.part}
              path={[...path, field.name]}
              value={Object.hasOwn(shown, field.name) ? shown[field.name] : undefined}
              required={plan.required.includes(field.name)}
              because={awaitsInWords(field.awaits, titleOf)}
            />
          </div>
        ))}
        {search !== '' && fields.length === 0 ? (
          <p role="status" className="text-sm text-muted">
            No fields match “{wanted.trim()}”.
          </p>
        ) : null}
        <FurtherFields plan={plan} path={path} name={name} value={shown} />
      </div>
    </Around>
  );
}

const NULL = 'null';

/** A selected form stays selected while it is filled in, even if another matches; values from elsewhere select their best match. */
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

  // Editing in a form selects it.
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

/** Its description, and that of its discriminator if that has no field. */
function wordsOf({ part, mark }: UnionOption, value: unknown): readonly string[] {
  const plan = planAt(part, value);
  const marked = isJsonObject(value) ? plan.fields.find((field) => field.name === mark && isSaid(field, mark, value)) : undefined;
  const words = [plan.description, marked === undefined ? null : planAt(marked.part, undefined).description];
  return [...new Set(words.filter((each) => each !== null))];
}
