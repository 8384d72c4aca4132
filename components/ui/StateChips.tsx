'use client';

import { FilterChips } from './FilterChips.tsx';
import { StateIcon } from './StateBadge.tsx';
import { STATES } from './states.ts';
import type { StateName } from './states.ts';

export interface StateChipsProps<State extends StateName> {
  label: string;
  states: readonly State[];
  /** Counts by state, if known. */
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
      options={states.map((state) => {
        const count = countOf?.(state);
        const words = (
          <>
            <StateIcon state={state} />
            {STATES[state].word}
          </>
        );
        return count === undefined ? { value: state, label: words } : { value: state, label: words, count };
      })}
    />
  );
}
