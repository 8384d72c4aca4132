'use client';

import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps, RJSFSchema } from '@rjsf/utils';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { planOf } from './field-plan.ts';
import { fieldIdOf, useFormView } from './form-view.ts';
import { pointerOf } from './pointer.ts';

/** The items of a list. After adding or removing one the focus goes where the work goes on. */
export function ArrayTemplate({ items, canAdd, onAddClick, fieldPathId, title, schema }: ArrayFieldTemplateProps<unknown, RJSFSchema>) {
  const { disabled } = useFormView();
  const pointer = pointerOf(fieldPathId.path);
  const name = planOf(schema)?.title ?? title;
  const list = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={list}
      id={fieldIdOf(pointer)}
      data-path={pointer}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 rounded outline-offset-4"
    >
      {items}
      {canAdd === false ? (
        <p className="text-xs text-muted">The list is full.</p>
      ) : (
        <Button
          size="sm"
          icon={<Plus aria-hidden />}
          disabled={disabled}
          aria-label={`Add an item to ${name}`}
          onClick={(event) => {
            onAddClick(event);
            const count = items.length;
            requestAnimationFrame(() => focusItem(list.current, count));
          }}
          className="self-start"
        >
          Add an item
        </Button>
      )}
    </div>
  );
}

function focusItem(list: HTMLElement | null, index: number) {
  const item = list?.querySelectorAll(':scope > [data-item]')[index];
  (item?.querySelector<HTMLElement>('input, select, textarea') ?? item?.querySelector<HTMLElement>('button'))?.focus();
}

export function ArrayItemTemplate({ children, buttonsProps, index, totalItems, schema }: ArrayFieldItemTemplateProps<unknown, RJSFSchema>) {
  const { disabled } = useFormView();
  const { onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  const row = useRef<HTMLDivElement>(null);
  const label = `item ${index + 1}`;
  const control = planOf(schema)?.control;
  const large = control === 'object' || control === 'array' || control === 'map' || control === 'union';

  /** The form library takes the focus off the button; it goes to the item's new place. */
  function move(to: number, how: () => void) {
    const list = row.current?.parentElement ?? null;
    how();
    requestAnimationFrame(() => {
      const buttons = list?.querySelectorAll(':scope > [data-item]')[to]?.querySelectorAll<HTMLElement>('[data-move]');
      (to > index ? (buttons?.[1] ?? buttons?.[0]) : buttons?.[0])?.focus();
    });
  }

  const buttons = (
    <span className="flex shrink-0">
      {totalItems > 1 ? (
        <>
          <IconButton
            size="sm"
            data-move
            label={`Move ${label} up`}
            disabled={disabled}
            aria-disabled={index === 0}
            onClick={(event) => move(index - 1, () => onMoveUpItem(event))}
            className="aria-disabled:opacity-40"
          >
            <ArrowUp aria-hidden />
          </IconButton>
          <IconButton
            size="sm"
            data-move
            label={`Move ${label} down`}
            disabled={disabled}
            aria-disabled={index === totalItems - 1}
            onClick={(event) => move(index + 1, () => onMoveDownItem(event))}
            className="aria-disabled:opacity-40"
          >
            <ArrowDown aria-hidden />
          </IconButton>
        </>
      ) : null}
      <IconButton
        size="sm"
        label={`Remove ${label}`}
        disabled={disabled}
        onClick={(event) => {
          const list = row.current?.parentElement ?? null;
          onRemoveItem(event);
          requestAnimationFrame(() => {
            if (totalItems > 1) focusItem(list, Math.min(index, totalItems - 2));
            else list?.querySelector<HTMLElement>(':scope > button')?.focus();
          });
        }}
      >
        <X aria-hidden />
      </IconButton>
    </span>
  );
  if (!large) {
    return (
      <div ref={row} data-item className="flex min-w-0 items-start gap-1">
        <div className="min-w-0 flex-1">{children}</div>
        {buttons}
      </div>
    );
  }
  return (
    <div ref={row} data-item className="min-w-0 rounded border">
      <div className="flex items-center justify-between border-b py-0.5 pr-1 pl-3">
        <span aria-hidden className="tabular text-xs text-muted">
          Item {index + 1}
        </span>
        {buttons}
      </div>
      <div className="p-3">{children}</div>
    </div>
  );
}
