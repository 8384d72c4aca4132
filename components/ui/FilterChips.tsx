'use client';

import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { StateIcon, type StateName, STATES } from './Badge.tsx';

interface FilterOption<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly count?: number | undefined;
}

interface FilterChipsProps<Value extends string> {
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
            {option.icon}
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
        'inline-flex h-8 items-center gap-2 rounded border px-2 text-sm transition-colors pointer-coarse:h-10 [&_svg]:size-3.5',
        chosen ? 'border-accent bg-accent-soft font-medium text-fg' : 'border-line-strong bg-panel text-fg hover:bg-hover',
      )}
    >
      {children}
    </button>
  );
}

interface StateChipsProps<State extends StateName> {
  label: string;
  states: readonly State[];
  countOf?: (state: State) => number | undefined;
  value: State | null;
  onChange: (state: State | null) => void;
}

export function StateChips<State extends StateName>({ label, states, countOf, value, onChange }: StateChipsProps<State>) {
  return (
    <FilterChips
      label={label}
      value={value}
      onChange={onChange}
      options={states.map((state) => ({
        value: state,
        label: STATES[state].word,
        icon: <StateIcon state={state} />,
        count: countOf?.(state),
      }))}
    />
  );
}
