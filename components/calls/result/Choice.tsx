'use client';

import { cx } from '#components/ui/cx.ts';

export interface ChoiceProps<Id extends string> {
  /** What is chosen here, for screen readers. */
  label: string;
  options: readonly { readonly id: Id; readonly label: string }[];
  value: Id;
  onChange: (id: Id) => void;
}

/** A few ways to see the same thing, one of them in force. */
export function Choice<Id extends string>({ label, options, value, onChange }: ChoiceProps<Id>) {
  return (
    <div role="group" aria-label={label} className="inline-flex w-fit shrink-0 self-start rounded border border-line-strong bg-panel p-0.5">
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          aria-pressed={option.id === value}
          onClick={() => onChange(option.id)}
          className={cx(
            'h-6 rounded-sm px-2 text-sm whitespace-nowrap text-muted transition-colors hover:text-fg pointer-coarse:h-10 pointer-coarse:px-3',
            option.id === value && 'bg-accent-soft font-medium text-fg',
          )}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
