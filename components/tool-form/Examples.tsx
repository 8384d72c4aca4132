'use client';

import { inShort } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useFormView } from './form-view.ts';
import { sameJson } from './same-json.ts';

/** What the tool's author gives as examples: a press fills one in. They are never sent by themselves. */
export function Examples({ control }: { control: ControlProps }) {
  const { plan, value, onChange, name } = control;
  const { disabled } = useFormView();
  if (plan.examples.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-1 text-xs text-muted">
      For example
      {plan.examples.map((example) => (
        <button
          key={JSON.stringify(example)}
          type="button"
          disabled={disabled || sameJson(example, value)}
          aria-label={`Fill in ${name}: ${inShort(example)}`}
          onClick={() => onChange(example)}
          className="min-h-6 max-w-full truncate rounded-sm border bg-panel px-1.5 font-mono text-fg hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-8"
        >
          {inShort(example)}
        </button>
      ))}
    </p>
  );
}
