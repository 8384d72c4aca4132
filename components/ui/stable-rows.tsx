'use client';

import type { ComponentProps, FocusEvent, PointerEvent, ReactNode } from 'react';
import { Fragment, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { ArrowUp } from 'lucide-react';
import { Button } from './Button.tsx';
import type { VisibleRow } from './use-visible-rows.ts';

export interface PointerInside {
  /** Whether the pointer or focus is in the list. */
  readonly isInside: boolean;
  /** React emits no blur event for a removed element. */
  readonly recheckFocus: () => void;
}

/** Whether the pointer or focus is in a list, and the props for its element. */
export function usePointerInside() {
  const [hovers, setHovers] = useState(false);
  const [focused, setFocused] = useState(false);
  const list = useRef<Element | null>(null);
  const pointer: PointerInside = {
    isInside: hovers || focused,
    recheckFocus: () => {
      if (focused && list.current?.contains(document.activeElement) !== true) setFocused(false);
    },
  };
  const props = {
    // A touch opens a row and does not hover it.
    onPointerEnter: (event: PointerEvent) => setHovers(event.pointerType === 'mouse'),
    onPointerLeave: () => setHovers(false),
    onFocus: (event: FocusEvent) => {
      list.current = event.currentTarget;
      setFocused(true);
    },
    onBlur: (event: FocusEvent) => setFocused(event.currentTarget.contains(event.relatedTarget)),
  };
  return { pointer, props };
}

interface Row {
  readonly id: string;
}

interface StableRows<Item extends Row> {
  readonly rows: readonly Item[];
  readonly waiting: number;
  readonly showAll: () => void;
}

interface Held<Item> {
  readonly list: string;
  readonly order: string;
  readonly items: readonly Item[];
}

interface StableRowsOptions {
  /** Identifies the list: its filter. */
  readonly list: string;
  /** While true, no row moves. */
  readonly pointer: PointerInside;
  /** Removed rows stay until the pointer leaves; for lists from which people do not remove rows. */
  readonly keepsRemoved?: boolean;
  /** Rows of a list below would move if this one fills. */
  readonly isAboveRows?: boolean;
}

/**
 * Keeps rows in place while the pointer is over them: each updates in place, older ones are appended, and new ones are held
 * back.
 */
export function useStableRows<Item extends Row>(
  items: readonly Item[],
  { list, pointer, keepsRemoved = false, isAboveRows = false }: StableRowsOptions,
): StableRows<Item> {
  const { isInside } = pointer;
  const order = items.map(({ id }) => id).join(' ');
  // The rows shown last: rows that arrive together with the pointer would move the row under it.
  const [held, setHeld] = useState<Held<Item> | null>({ list, order, items });
  const isSameList = held?.list === list;
  const isFilling = held?.items.length === 0 && items.length > 0 && !isAboveRows;
  if (!isSameList || (held.order !== order && (!isInside || isFilling))) setHeld({ list, order, items });
  const before = isInside && isSameList ? held.items : items;
  const { rows, waiting } = useMemo(() => mergeRows(before, items, keepsRemoved), [before, items, keepsRemoved]);
  const recheckFocus = useEffectEvent(pointer.recheckFocus);
  useEffect(() => recheckFocus(), [rows]);
  // Shows the rows of the next render.
  return { rows, waiting, showAll: () => setHeld(null) };
}

function mergeRows<Item extends Row>(before: readonly Item[], items: readonly Item[], keepsRemoved: boolean) {
  if (before === items) return { rows: items, waiting: 0 };
  const now = new Map(items.map((item) => [item.id, item]));
  const known = new Set(before.map(({ id }) => id));
  const older = items.slice(items.findLastIndex(({ id }) => known.has(id)) + 1);
  const isOlder = older.length < items.length;
  const remaining = before.flatMap((item) => now.get(item.id) ?? (keepsRemoved ? [item] : []));
  const newCount = items.filter(({ id }) => !known.has(id)).length - (isOlder ? older.length : 0);
  return { rows: isOlder ? [...remaining, ...older] : remaining, waiting: newCount };
}

interface VisibleItemsProps<Item extends Row> {
  rows: readonly VisibleRow<Item>[];
  /** Number of all items; -1 if more can be loaded. */
  size: number;
  children: (item: Item, place: ComponentProps<'li'>) => ReactNode;
}

export function VisibleItems<Item extends Row>({ rows, size, children }: VisibleItemsProps<Item>) {
  return rows.map((row) =>
    'height' in row ? (
      <li key={row.key} aria-hidden className="shrink-0" style={{ height: row.height }} />
    ) : (
      <Fragment key={row.item.id}>{children(row.item, { ...row.props, 'aria-posinset': row.index + 1, 'aria-setsize': size })}</Fragment>
    ),
  );
}

/** Number of new rows above a list, with a button that shows them. Overlaid, so that nothing shifts. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="sticky top-16 z-10 low:top-3 flex h-0 justify-center">
      <Button size="sm" variant="primary" icon={<ArrowUp />} onClick={onShow} className="mt-1 rounded-full">
        {count} new
      </Button>
    </div>
  );
}
