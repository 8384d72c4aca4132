'use client';

import { ArrowDown, ArrowUp, Copy, Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { useAfterRender } from '#components/ui/use-after-render.ts';
import { planAt } from './form-plan.ts';
import { type ControlProps, NestedField, fieldIdOf, useFormView } from './form-view.tsx';
import { FIELDS_MOST, blankItem } from './payload.ts';

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
  const first = plan.places.length;
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
    change(items.toSpliced(index + 1, 0, items[index]), keys.toSpliced(index + 1, 0, -1).map(orNull));
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
  const full = plan.most !== null && items.length >= plan.most;
  const many = items.length >= FIELDS_MOST;
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
                  <ArrowUp aria-hidden />
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
                  <ArrowDown aria-hidden />
                </IconButton>
              </>
            ) : null}
            {large && !full && !many ? (
              <IconButton size="sm" label={`Duplicate ${label}`} disabled={disabled} onClick={() => duplicate(index)}>
                <Copy aria-hidden />
              </IconButton>
            ) : null}
            <IconButton size="sm" label={`Remove ${label}`} disabled={disabled} onClick={() => remove(index)}>
              <X aria-hidden />
            </IconButton>
          </span>
        );
        const field = <NestedField part={part} path={[...path, index]} value={item} required bare stays called={`Item ${index + 1}`} />;
        return large ? (
          <div key={keys[index]} data-item className="min-w-0 rounded border">
            <div className="flex items-center justify-between border-b py-0.5 pr-1 pl-3">
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
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          disabled={disabled}
          aria-label={`Add an item to ${name}`}
          onClick={add}
          className="self-start"
        >
          Add an item
        </Button>
      )}
    </div>
  );
}

function orNull(key: number): number | null {
  return key === -1 ? null : key;
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
      {[...plan.places.entries()].map(([place, part]) => (
        <NestedField
          key={place}
          part={part}
          path={[...path, place]}
          value={items[place]}
          stays
          required={(required || begun) && place < Math.max(plan.least, items.length - 1)}
          called={planAt(part, items[place]).title ?? `Place ${place + 1}`}
        />
      ))}
      {plan.items !== null && items.length >= plan.places.length ? <ArrayControl {...props} /> : null}
      {items.slice(plan.places.length).length > 0 && plan.items === null ? (
        <p className="text-xs text-muted">More items in the JSON: {JSON.stringify(items.slice(plan.places.length))}</p>
      ) : null}
    </div>
  );
}
