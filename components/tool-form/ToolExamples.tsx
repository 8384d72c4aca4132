'use client';

import { inShort } from './controls.ts';
import { isJsonObject } from './json-text.ts';
import type { Payload } from './payload.ts';
import { sameJson } from './same-json.ts';

const MOST = 5;

export interface ToolExamplesProps {
  /** As the author of the tool gives them. */
  readonly examples: readonly unknown[];
  readonly payload: Payload;
  readonly disabled: boolean;
  readonly onFill: (example: Payload) => void;
}

/** Whole arguments that the tool's author gives as examples: a press fills one in. */
export function ToolExamples({ examples, payload, disabled, onFill }: ToolExamplesProps) {
  const shown = examples.filter(isJsonObject).slice(0, MOST);
  if (shown.length === 0) return null;
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-1 text-xs text-muted">
      {shown.length === 1 ? 'An example' : 'Examples'}
      {shown.map((example, index) => (
        <button
          // They stay as they are while the form is open.
          // oxlint-disable-next-line react/no-array-index-key -- two of them may be equal
          key={index}
          type="button"
          disabled={disabled || sameJson(example, payload)}
          aria-label={`Fill in the example ${inShort(example)}`}
          onClick={() => onFill(example)}
          className="min-h-6 max-w-full truncate rounded-sm border bg-panel px-1.5 font-mono text-fg hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-8"
        >
          {inShort(example)}
        </button>
      ))}
    </p>
  );
}
