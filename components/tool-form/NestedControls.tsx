'use client';

import { ArrowDown, ArrowUp, Copy, Plus, X } from 'lucide-react';
import { createContext, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Select } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import {
  type ControlProps,
  fieldIdOf,
  type FormView,
  FormViewContext,
  IssuesContext,
  NestedField,
  useAfterRender,
  useFormView,
} from './form-view.tsx';
import { AdditionalFields } from './AdditionalFields.tsx';
import type { UnionOption } from './field-plan.ts';
import { absenceConditionInWords, planAt } from './form-plan.ts';
import { isWithin, pointerOf } from './issues.ts';
import { isJsonObject } from './json-text.ts';
import { blankItem, MAX_FIELDS, isSetByOption, matchOption, emptyOption, type Path, valueForOption } from './payload.ts';
import type { SchemaNode } from './schema-node.ts';

const MANY = 16;
const MAX_INLINE_DEPTH = 8;

/** Schemas of enclosing objects, to detect recursion. */
const EnclosingSchemas = createContext<readonly SchemaNode[]>([]);

export function ObjectControl({ plan, pointer, path, name, value, required, discriminator }: ControlProps) {
  const { disabled } = useFormView();
  const enclosing = useContext(EnclosingSchemas);
  const within = useMemo(() => [...enclosing, plan.node], [enclosing, plan.node]);
  const errorPointers = [...useContext(IssuesContext).keys()];
  const [opened, setOpened] = useState(false);
  const [query, setQuery] = useState('');
  const isRecursive = enclosing.includes(plan.node);
  const closed = !opened && !isJsonObject(value) && (isRecursive || (!required && enclosing.length >= MAX_INLINE_DEPTH));
  const shown = isJsonObject(value) ? value : {};
  const search = query.trim().toLowerCase();
  // Invalid fields are shown whatever the search.
  const hasError = (at: string) => errorPointers.some((each) => isWithin(each, at));
  const fields = plan.fields.filter(
    (field) =>
      hasError(pointerOf([...path, field.name])) ||
      (!isSetByOption(field, discriminator, shown) &&
        (search === '' || field.name.toLowerCase().includes(search) || JSON.stringify(field.part.schema).toLowerCase().includes(search))),
  );
  const titleOf = (fallbackTitle: string) => {
    const field = plan.fields.find((each) => each.name === fallbackTitle);
    return (field === undefined ? null : planAt(field.part, shown[fallbackTitle]).title) ?? fallbackTitle;
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
        <Button size="sm" icon={<Plus />} disabled={disabled} onClick={() => setOpened(true)} className="self-start">
          Fill in {name}
        </Button>
      </div>
    );
  }
  return (
    <EnclosingSchemas value={within}>
      <div {...frame}>
        {plan.fields.length > MANY ? (
          <SearchField
            label={pointer === '' ? 'Find a field' : `Find a field of ${name}`}
            placeholder={`Find one of ${plan.fields.length} fields`}
            value={query}
            onChange={setQuery}
            isLandmark={false}
          />
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
              condition={absenceConditionInWords(field.absenceCondition, titleOf)}
            />
          </div>
        ))}
        {search !== '' && fields.length === 0 ? (
          <p role="status" className="text-sm text-muted">
            No fields match “{query.trim()}”.
          </p>
        ) : null}
        <AdditionalFields plan={plan} path={path} name={name} value={shown} />
      </div>
    </EnclosingSchemas>
  );
}

const NULL = 'null';

/** A selected form stays selected while it is filled in, even if another matches; values from elsewhere select their best match. */
export function UnionControl({ plan, pointer, path, name, value, required, isEntry, onChange }: ControlProps) {
  const view = useContext(FormViewContext);
  const [chosen, setChosen] = useState<number | null>(null);
  const { options } = plan;
  const untouched = pointer === '' && isJsonObject(value) && Object.keys(value).length === 0;
  const matched = untouched ? (chosen ?? emptyOption(options)) : matchOption(options, value, chosen);
  const open = matched === -1 ? chosen : matched;
  const option = open === null ? undefined : options[open];
  const id = fieldIdOf(pointer);
  const words = option === undefined ? [] : wordsOf(option, value).filter((each) => each !== plan.description);
  const isOpen = option === undefined && !(value === null && plan.nullable);
  const message = isOpen ? `Choose a form first: ${options.map((each) => each.title).join(', ')}.` : null;
  const hasError = useContext(IssuesContext).has(pointer);
  const { onUnchosen } = view;

  useEffect(() => {
    onUnchosen(pointer, message);
    return () => onUnchosen(pointer, null);
  }, [pointer, message, onUnchosen]);

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
    const nothing = pointer === '' ? {} : isEntry ? null : undefined;
    const query = next === null ? undefined : options[next];
    onChange((query === undefined ? undefined : valueForOption(query, value)) ?? nothing);
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Select
        id={`${id}-form`}
        aria-label={`Form of ${name === '' ? 'the arguments' : name}`}
        disabled={view.disabled}
        options={[
          ['', required || pointer === '' ? 'Choose a form…' : 'not sent'],
          ...options.map(({ title }, place) => [String(place), title] as const),
          ...(plan.nullable ? [[NULL, 'null'] as const] : []),
        ]}
        value={value === null && plan.nullable ? NULL : open === null ? '' : String(open)}
        onBlur={() => view.onVisit(pointer)}
        onChange={choose}
        aria-describedby={`${id}-issues`}
        aria-invalid={(isOpen && hasError) || undefined}
        data-path={option === undefined ? pointer : undefined}
      />
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
            isEntry={isEntry}
            discriminator={option.discriminator}
            fallbackTitle={name}
          />
        </FormViewContext>
      )}
    </div>
  );
}

/** Its description, and that of its discriminator if that has no field. */
function wordsOf({ part, discriminator }: UnionOption, value: unknown): readonly string[] {
  const plan = planAt(part, value);
  const discriminatorField = isJsonObject(value)
    ? plan.fields.find((field) => field.name === discriminator && isSetByOption(field, discriminator, value))
    : undefined;
  const words = [plan.description, discriminatorField === undefined ? null : planAt(discriminatorField.part, undefined).description];
  return [...new Set(words.filter((each) => each !== null))];
}

interface ItemKeys {
  readonly keys: readonly number[];
  readonly arrange: (order: readonly (number | null)[]) => void;
}

/** Stable keys for the items of a list, so that a moved item keeps its field and input. */
function useItemKeys(count: number): ItemKeys {
  const [state, setState] = useState<{ readonly keys: readonly number[]; readonly next: number }>({ keys: [], next: 0 });
  let { keys, next } = state;
  if (keys.length !== count) {
    // The list was changed elsewhere, for example as JSON.
    const added = Array.from({ length: Math.max(0, count - keys.length) }, (_, index) => next + index);
    keys = [...keys.slice(0, count), ...added];
    next += added.length;
    setState({ keys, next });
  }
  return {
    keys,
    arrange(order) {
      let fresh = next;
      const arranged = order.map((key) => {
        if (key !== null) return key;
        fresh += 1;
        return fresh - 1;
      });
      setState({ keys: arranged, next: fresh });
    },
  };
}

/** After adding, moving or removing an item the focus follows. */
export function ArrayControl({ plan, pointer, path, name, value, onChange }: ControlProps) {
  const { disabled } = useFormView();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const { keys, arrange } = useItemKeys(items.length);
  const list = useRef<HTMLDivElement>(null);
  const afterRender = useAfterRender();
  const part = plan.items;
  const first = plan.tupleItems.length;
  if (part === null) return null;

  function change(next: readonly unknown[], order: readonly (number | null)[]) {
    arrange(order);
    onChange(next);
  }

  function add() {
    change([...items, blankItem(part)], [...keys, null]);
    afterRender(() => {
      // Keeps the add button visible for the next item, if it fits.
      list.current?.querySelector(':scope > button')?.scrollIntoView({ block: 'nearest' });
      focusItem(list.current, items.length - first);
    });
  }

  function duplicate(index: number) {
    change(items.toSpliced(index + 1, 0, items[index]), [...keys.slice(0, index + 1), null, ...keys.slice(index + 1)]);
    afterRender(() => focusItem(list.current, index + 1 - first));
  }

  function remove(index: number) {
    change(items.toSpliced(index, 1), keys.toSpliced(index, 1));
    afterRender(() => {
      if (items.length - first > 1) focusItem(list.current, Math.min(index, items.length - 2) - first);
      else list.current?.querySelector<HTMLElement>(':scope > button')?.focus();
    });
  }

  function move(from: number, to: number) {
    if (to < first || to >= items.length) return;
    change(items.toSpliced(from, 1).toSpliced(to, 0, items[from]), keys.toSpliced(from, 1).toSpliced(to, 0, keys[from] ?? 0));
    afterRender(() => {
      const buttons = list.current?.querySelectorAll(':scope > [data-item]')[to - first]?.querySelectorAll<HTMLElement>('[data-move]');
      (to > from ? (buttons?.[1] ?? buttons?.[0]) : buttons?.[0])?.focus();
    });
  }

  const words = planAt(part, undefined).description;
  const full = plan.max !== null && items.length >= plan.max;
  const many = items.length >= MAX_FIELDS;
  return (
    <div
      ref={list}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 rounded outline-offset-4"
      {...(first === 0 ? { id: fieldIdOf(pointer), 'data-path': pointer } : {})}
    >
      {words === null ? null : <p className="foreign text-xs text-muted">Each item: {words}</p>}
      {[...items.entries()].slice(first).map(([index, item]) => {
        const { control } = planAt(part, item);
        const large = ['object', 'array', 'tuple', 'union', 'choices'].includes(control);
        const label = `item ${index + 1}`;
        const buttons = (
          <span className="flex shrink-0">
            {items.length - first > 1 ? (
              <>
                <IconButton
                  size="sm"
                  data-move
                  label={`Move ${label} up`}
                  disabled={disabled}
                  aria-disabled={index === first}
                  onClick={() => move(index, index - 1)}
                  className="aria-disabled:opacity-40"
                >
                  <ArrowUp />
                </IconButton>
                <IconButton
                  size="sm"
                  data-move
                  label={`Move ${label} down`}
                  disabled={disabled}
                  aria-disabled={index === items.length - 1}
                  onClick={() => move(index, index + 1)}
                  className="aria-disabled:opacity-40"
                >
                  <ArrowDown />
                </IconButton>
              </>
            ) : null}
            {large && !full && !many ? (
              <IconButton size="sm" label={`Duplicate ${label}`} disabled={disabled} onClick={() => duplicate(index)}>
                <Copy />
              </IconButton>
            ) : null}
            <IconButton size="sm" label={`Remove ${label}`} disabled={disabled} onClick={() => remove(index)}>
              <X />
            </IconButton>
          </span>
        );
        const field = (
          <NestedField part={part} path={[...path, index]} value={item} required bare isEntry fallbackTitle={`Item ${index + 1}`} />
        );
        return large ? (
          <div key={keys[index]} data-item className="min-w-0 rounded border">
            <div className="flex items-center justify-between border-b py-1 pr-1 pl-3">
              <span aria-hidden className="tabular text-xs text-muted">
                Item {index + 1}
              </span>
              {buttons}
            </div>
            <div className="p-3">{field}</div>
          </div>
        ) : (
          <div key={keys[index]} data-item className="flex min-w-0 items-start gap-1">
            <div className="min-w-0 flex-1">{field}</div>
            {buttons}
          </div>
        );
      })}
      {full ? (
        <p className="text-xs text-muted">The list is full.</p>
      ) : many ? (
        <p className="text-xs text-muted">Add more items in the JSON.</p>
      ) : (
        <Button size="sm" icon={<Plus />} disabled={disabled} aria-label={`Add an item to ${name}`} onClick={add} className="self-start">
          Add an item
        </Button>
      )}
    </div>
  );
}

function focusItem(list: HTMLElement | null, index: number) {
  const item = list?.querySelectorAll(':scope > [data-item]')[index];
  (item?.querySelector<HTMLElement>('[data-path] input, input, select, textarea') ?? item?.querySelector<HTMLElement>('button'))?.focus();
}

export function TupleControl(props: ControlProps) {
  const { plan, pointer, path, value, required } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const begun = items.length > 0;
  return (
    <div id={fieldIdOf(pointer)} data-path={pointer} tabIndex={-1} className="flex min-w-0 flex-col gap-3 rounded outline-offset-4">
      {[...plan.tupleItems.entries()].map(([place, part]) => (
        <NestedField
          key={place}
          part={part}
          path={[...path, place]}
          value={items[place]}
          isEntry
          required={(required || begun) && place < Math.max(plan.min, items.length - 1)}
          fallbackTitle={planAt(part, items[place]).title ?? `Place ${place + 1}`}
        />
      ))}
      {plan.items !== null && items.length >= plan.tupleItems.length ? <ArrayControl {...props} /> : null}
      {items.slice(plan.tupleItems.length).length > 0 && plan.items === null ? (
        <p className="text-xs text-muted">More items in the JSON: {JSON.stringify(items.slice(plan.tupleItems.length))}</p>
      ) : null}
    </div>
  );
}
