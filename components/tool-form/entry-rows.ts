'use client';

import { useState } from 'react';

/** One name of an object, as a row of the form. */
export interface EntryRow {
  /** Goes along when the entry gets another name, so that its fields keep what was typed, and the focus. */
  readonly key: number;
  readonly name: string;
  /** It was added or named here: its name is being chosen, be it right yet or not. */
  readonly isOwn: boolean;
}

export interface EntryRows {
  readonly rows: readonly EntryRow[];
  readonly add: (name: string) => void;
  readonly rename: (from: string, to: string) => void;
}

interface Kept {
  readonly rows: readonly EntryRow[];
  readonly next: number;
}

/**
 * The names of an object in an order of their own: JavaScript puts names that look like numbers before all others, and a row
 * that jumps while its name is typed takes the focus with it. To be told in the same event in which the object is changed.
 */
export function useEntryRows(names: readonly string[]): EntryRows {
  const [state, setState] = useState<Kept>({ rows: [], next: 0 });
  const current = withNames(state, names);
  if (current !== state) setState(current);
  return {
    rows: current.rows,
    add: (name) => setState({ rows: [...current.rows, { key: current.next, name, isOwn: true }], next: current.next + 1 }),
    rename: (from, to) =>
      setState({ ...current, rows: current.rows.map((row) => (row.name === from ? { ...row, name: to, isOwn: true } : row)) }),
  };
}

/** The rows after the object was changed from elsewhere, as JSON for one. The same object where nothing was. */
function withNames(state: Kept, names: readonly string[]): Kept {
  const present = new Set(names);
  const known = new Set(state.rows.map((row) => row.name));
  const fresh = names.filter((name) => !known.has(name));
  const left = state.rows.filter((row) => present.has(row.name));
  if (fresh.length === 0 && left.length === state.rows.length) return state;
  return {
    rows: [...left, ...fresh.map((name, index): EntryRow => ({ key: state.next + index, name, isOwn: false }))],
    next: state.next + fresh.length,
  };
}
