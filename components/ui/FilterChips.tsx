'use client';

import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface FilterOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly count?: number;
}

export interface FilterChipsProps<Value extends string> {
  label: string;
  options: readonly FilterOption<Value>[];
  /** Null for none. Selecting the current value again removes it. */
  value: Value | null;
  onChange: (value: Value | null) => void;
}

export function FilterChips<Value extends string>({ label, options, value, onChange }: FilterChipsProps<Value>) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {options.map((option) => {
        const chosen = option.value === value;
        return (
          <FilterChip key={option.value} chosen={chosen} onPress={() => onChange(chosen ? null : option.value)}>
            {option.label}
            {option.count === undefined ? null : <span className="tabular text-muted">{option.count}</span>}
          </FilterChip>
        );
      })}
    </div>
  );
}

export function FilterChip({ chosen, onPress, children }: { chosen: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={onPress}
      className={cx(
        'inline-flex h-8 items-center gap-1.5 rounded border px-2.5 text-sm transition-colors pointer-coarse:h-10 [&_svg]:size-3.5',
        chosen ? 'border-accent bg-accent-soft font-medium text-fg' : 'border-line-strong bg-panel text-fg hover:bg-hover',
      )}
    >
      {children}
    </button>
  );
}
