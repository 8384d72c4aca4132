'use client';

import { type FocusEvent, type PointerEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { ArrowUp } from 'lucide-react';
import { Button } from './Button.tsx';

export interface Hand {
  /** Whether the pointer or focus is in the list. */
  readonly isIn: boolean;
  /** React emits no blur event for a removed element. */
  readonly lookAgain: () => void;
}

/** Whether a row is hovered or focused, and the props that its element needs for it. */
export function useHand() {
  const [hovers, setHovers] = useState(false);
  const [focused, setFocused] = useState(false);
  const list = useRef<Element | null>(null);
  const hand: Hand = {
    isIn: hovers || focused,
    lookAgain: () => {
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
  return { hand, props };
}

interface Row {
  readonly id: string;
}

interface SteadyRows<Item extends Row> {
  readonly rows: readonly Item[];
  /** Number of new rows held back. */
  readonly waiting: number;
  readonly showAll: () => void;
}

interface Held<Item> {
  readonly list: string;
  /** Their ids. */
  readonly order: string;
  readonly items: readonly Item[];
}

interface SteadyOptions {
  /** Identifies the list: its filter. */
  readonly list: string;
  /** While true, no row moves. */
  readonly hand: Hand;
  /** Removed rows stay until the pointer leaves; for lists from which people do not remove rows. */
  readonly keepsGone?: boolean;
  /** Rows of a list below would move if this one fills. */
  readonly isAboveRows?: boolean;
}

/**
 * Keeps rows in place while the pointer is over them: each updates in place, older ones are appended, and new ones are held
 * back.
 */
export function useSteadyRows<Item extends Row>(
  items: readonly Item[],
  { list, hand, keepsGone = false, isAboveRows = false }: SteadyOptions,
): SteadyRows<Item> {
  const steady = hand.isIn;
  const order = items.map(({ id }) => id).join(' ');
  // Those last shown, not those that arrive in the moment of a press: the row would move from under it.
  const [held, setHeld] = useState<Held<Item> | null>({ list, order, items });
  const isSameList = held?.list === list;
  const hasNothingToLose = held?.items.length === 0 && items.length > 0 && !isAboveRows;
  if (!isSameList || (held.order !== order && (!steady || hasNothingToLose))) setHeld({ list, order, items });
  const before = steady && isSameList ? held.items : items;
  const { rows, waiting } = useMemo(() => placeRows(before, items, keepsGone), [before, items, keepsGone]);
  const lookAgain = useEffectEvent(hand.lookAgain);
  useEffect(() => lookAgain(), [rows]);
  // Rows of the next render: those above may have been held back elsewhere.
  return { rows, waiting, showAll: () => setHeld(null) };
}

function placeRows<Item extends Row>(before: readonly Item[], items: readonly Item[], keepsGone: boolean) {
  if (before === items) return { rows: items, waiting: 0 };
  const now = new Map(items.map((item) => [item.id, item]));
  const known = new Set(before.map(({ id }) => id));
  const older = items.slice(items.findLastIndex(({ id }) => known.has(id)) + 1);
  const isOlder = older.length < items.length;
  const stayed = before.flatMap((item) => now.get(item.id) ?? (keepsGone ? [item] : []));
  const fresh = items.filter(({ id }) => !known.has(id)).length - (isOlder ? older.length : 0);
  return { rows: isOlder ? [...stayed, ...older] : stayed, waiting: fresh };
}

/** Number of new rows above a list, with a button that shows them. Overlaid, so that nothing shifts. */
export function NewRows({ count, onShow }: { count: number; onShow: () => void }) {
  if (count === 0) return null;
  return (
    <div className="sticky top-16 z-10 flex h-0 justify-center">
      <Button size="sm" variant="primary" icon={<ArrowUp />} onClick={onShow} className="mt-1 rounded-full">
        {count} new
      </Button>
    </div>
  );
}
