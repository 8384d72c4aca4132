'use client';

import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { FocusEvent, PointerEvent } from 'react';

export interface Hand {
  /** Whether the mouse or the focus is in the list. */
  readonly isIn: boolean;
  /** React tells nothing of a focus that went with its row. */
  readonly lookAgain: () => void;
}

/** Whether somebody points at a row of a list, and the properties that its element needs for that. */
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
    // A finger that touches a row opens it; it does not rest on it.
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

export interface SteadyRows<Item extends Row> {
  readonly rows: readonly Item[];
  /** How many new ones wait to be shown. */
  readonly waiting: number;
  readonly showAll: () => void;
}

export interface SteadyOptions {
  /** What tells one list from another: its filter. */
  readonly list: string;
  /** While it is in the list no row changes its place. */
  readonly hand: Hand;
  /** Rows that are no longer in the list stay until the hand is gone; for a list from which nobody takes rows by hand. */
  readonly keepsGone?: boolean;
  /** Rows of another list stand below it, and would move when it is no longer empty. */
  readonly isAboveRows?: boolean;
}

/**
 * A list that is read again while somebody points at one of its rows: each stays where it is and shows what is now known of it,
 * older ones are put behind the last, and new ones wait.
 */
export function useSteadyRows<Item extends Row>(
  items: readonly Item[],
  { list, hand, keepsGone = false, isAboveRows = false }: SteadyOptions,
): SteadyRows<Item> {
  const steady = hand.isIn;
  const [held, setHeld] = useState<{ readonly list: string; readonly items: readonly Item[] } | null>(null);
  if (!steady && held !== null) setHeld(null);
  const hasNothingToLose = held !== null && held.items.length === 0 && items.length > 0 && !isAboveRows;
  if (steady && (held === null || held.list !== list || hasNothingToLose)) setHeld({ list, items });
  const before = steady && held?.list === list ? held.items : items;
  const { rows, waiting } = useMemo(() => placeRows(before, items, keepsGone), [before, items, keepsGone]);
  const lookAgain = useEffectEvent(hand.lookAgain);
  useEffect(() => lookAgain(), [rows]);
  // Held anew are the rows of the next picture: those above may have waited elsewhere.
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
