'use client';

import { type ReactNode, useId } from 'react';

interface AllOrSelectedProps {
  title: string;
  isTitleHidden?: boolean;
  all: string;
  selected: string;
  isAll: boolean;
  onChange: (isAll: boolean) => void;
  children: ReactNode;
}

/** A choice between all items, including new ones, and those selected below. */
export function AllOrSelected({ title, isTitleHidden = false, all, selected, isAll, onChange, children }: AllOrSelectedProps) {
  const id = useId();
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className={isTitleHidden ? 'sr-only' : 'mb-1 text-sm font-medium'}>{title}</legend>
      {[all, selected].map((words, at) => (
        <label key={words} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
          <input
            type="radio"
            name={id}
            checked={isAll === (at === 0)}
            onChange={() => onChange(at === 0)}
            className="size-4 shrink-0 accent-accent"
          />
          {words}
        </label>
      ))}
      {children}
    </fieldset>
  );
}
