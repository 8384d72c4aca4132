'use client';

import { CircleAlert, Eye } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import type { JsonTextHandle } from './JsonEditor.tsx';
import { JsonText } from './JsonText.tsx';
import type { FormSchema } from './field-plan.ts';
import { inShort } from './form-view.tsx';
import type { IssueMap } from './issues.ts';
import { isJsonObject, readJson, sameJson, writeJson } from './json-text.ts';
import type { Payload } from './payload.ts';
import { maskSecrets, mayHoldSecrets } from './secrets.ts';
import { type PasteTarget, readPasted } from './use-paste.ts';
import type { PayloadState } from './use-payload.ts';

const MIN_LINES = 4;
const MAX_LINES = 24;

interface PayloadEditorProps {
  state: PayloadState;
  form: FormSchema;
  target: PasteTarget;
  issues: IssueMap;
  readOnly?: boolean;
  className?: string;
}

/** In sync with the form. Invalid text stays, with its error and position. */
export function PayloadEditor({ state, form, target, issues, readOnly = false, className }: PayloadEditorProps) {
  const [revealed, setRevealed] = useState(false);
  // A secret being typed is visible until blur.
  const [typing, setTyping] = useState(false);
  const isHeld = !revealed && !typing && mayHoldSecrets(state.text, form);
  const secret = isHeld && !sameJson(maskSecrets(state.payload, form), state.payload);
  const area = useRef<JsonTextHandle>(null);
  const id = useId();
  const { text, problem, payload } = state;

  return (
    <section aria-label="Arguments as JSON" className={cx('flex min-w-0 flex-col gap-2', className)}>
      <div className="flex min-h-7 items-center gap-2">
        <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
          As JSON
        </label>
        <span className="ml-auto flex items-center gap-1">
          {secret ? (
            <Button size="sm" variant="quiet" icon={<Eye />} onClick={() => setRevealed(true)}>
              {readOnly ? 'Show the secrets' : 'Show the secrets and edit'}
            </Button>
          ) : null}
          {!secret && problem === null && text !== writeJson(payload) ? (
            <Button size="sm" variant="quiet" onClick={() => state.setPayload(payload)}>
              Format
            </Button>
          ) : null}
          {secret ? null : <CopyButton text={text} label="Copy the JSON" />}
        </span>
      </div>
      <JsonText
        handle={area}
        text={secret ? writeJson(maskSecrets(payload, form)) : text}
        onText={(next) => {
          setTyping(true);
          state.setText(next);
        }}
        onLeave={() => setTyping(false)}
        form={form}
        problem={problem}
        issues={issues}
        attributes={{
          id,
          'data-payload': '',
          'aria-labelledby': `${id}-label`,
          'aria-describedby': `${id}-problem`,
          ...(problem === null ? {} : { 'aria-invalid': 'true' }),
        }}
        disabled={false}
        readOnly={secret || readOnly}
        min={MIN_LINES}
        max={MAX_LINES}
        onPaste={(clip, from, to) => {
          const pasted = readPasted(clip, target);
          // A pasted object replaces all arguments, unless it is valid at the cursor.
          if (pasted === null || 'problem' in pasted || secret || readOnly) return false;
          const inserted = readJson(text.slice(0, from) + clip + text.slice(to));
          const replacesAll = text.slice(0, from).trim() === '' && text.slice(to).trim() === '';
          if (inserted.ok && isJsonObject(inserted.value) && (!replacesAll || sameJson(inserted.value, pasted.payload))) return false;
          state.replace(pasted.payload);
          return true;
        }}
      />
      <div id={`${id}-problem`} role="status" className="empty:hidden">
        {problem === null ? null : (
          <div className="flex flex-col gap-2 rounded bg-failed-soft px-3 py-2 text-sm">
            <p className="min-w-0">
              <span className="inline-flex items-center gap-2 font-medium text-failed">
                <CircleAlert className="size-3.5" />
                Line {problem.line}, column {problem.column}.
              </span>{' '}
              {problem.message} Fix the JSON to update the form.
            </p>
            <span className="flex gap-1">
              <Button size="sm" onClick={() => area.current?.select(problem.offset, Math.min(problem.offset + 1, text.length))}>
                Go there
              </Button>
              <Button size="sm" variant="quiet" onClick={state.dropText}>
                Discard edit
              </Button>
            </span>
          </div>
        )}
      </div>
    </section>
  );
}

const MAX_EXAMPLES = 5;

interface ToolExamplesProps {
  readonly examples: readonly unknown[];
  readonly payload: Payload;
  readonly disabled: boolean;
  readonly onFill: (example: Payload) => void;
}

export function ToolExamples({ examples, payload, disabled, onFill }: ToolExamplesProps) {
  const shown = examples.filter(isJsonObject).slice(0, MAX_EXAMPLES);
  if (shown.length === 0) return null;
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-1 text-xs text-muted">
      {shown.length === 1 ? 'Example' : 'Examples'}
      {shown.map((example, index) => (
        <button
          // They are constant while the form is open.
          // oxlint-disable-next-line react/no-array-index-key -- two of them may be equal
          key={index}
          type="button"
          disabled={disabled || sameJson(example, payload)}
          aria-label={`Fill in the example ${inShort(example)}`}
          onClick={() => onFill(example)}
          className="min-h-6 max-w-full truncate rounded-sm border bg-panel px-1 font-mono text-fg hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-8"
        >
          {inShort(example)}
        </button>
      ))}
    </p>
  );
}
