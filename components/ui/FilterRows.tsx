'use client';

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Select } from './Field.tsx';
import { sortByName } from './name-order.ts';
import { SearchField } from './SearchField.tsx';

/** What a list is narrowed to: fields above, and below them what is pressed, which on a phone is one line, scrolled to what is. */
export function FilterRows({ fields, chips }: { fields: ReactNode; chips: ReactNode }) {
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const row = line.current;
    const pressed = row?.querySelector('[aria-pressed=true], [data-active-filter]')?.getBoundingClientRect();
    if (row === null || pressed === undefined) return;
    const { left, right } = row.getBoundingClientRect();
    if (pressed.right > right) row.scrollLeft = pressed.left - left - (row.clientWidth - pressed.width) / 2;
  }, []);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">{fields}</div>
      <div
        ref={line}
        className="flex min-w-0 flex-wrap items-center gap-2 max-sm:-mx-4 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:px-4 max-sm:py-0.5 max-sm:[&_[role=group]]:flex-nowrap max-sm:[&>*]:shrink-0"
      >
        {chips}
      </div>
    </div>
  );
}

export interface FilterSearchProps {
  label: string;
  placeholder: string;
  /** Characters that the server searches for. */
  most: number;
  value: string | null;
  onChange: (value: string | null) => void;
}

const PAUSE_MS = 250;

/** A search by words, which takes effect when the typing pauses. */
export function FilterSearch({ label, placeholder, most, value, onChange }: FilterSearchProps) {
  const [typed, setTyped] = useState<string | null>(null);

  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      onChange(typed === '' ? null : typed);
      setTyped(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);

  return (
    <SearchField
      label={label}
      placeholder={placeholder}
      most={most}
      value={typed ?? value ?? ''}
      onChange={setTyped}
      className="w-full sm:w-86"
    />
  );
}

export interface FilterSelectProps {
  label: string;
  /** What is said where nothing is chosen. */
  every: string;
  value: string | null;
  names: readonly string[];
  onChange: (value: string | null) => void;
}

/** One of many names; one that is chosen and no longer there stays to be seen. */
export function FilterSelect({ label, every, value, names, onChange }: FilterSelectProps) {
  const all = sortByName(value === null || names.includes(value) ? names : [value, ...names], (name) => name);
  return (
    <Select
      aria-label={label}
      className="w-44 max-sm:w-[calc(50%-0.25rem)]"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
    >
      <option value="">{every}</option>
      {all.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </Select>
  );
}
