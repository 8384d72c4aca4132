'use client';

import { CircleAlert, Eye } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import type { FormSchema } from './field-plan.ts';
import { readJson, writeJson } from './json-text.ts';
import { sameJson } from './same-json.ts';
import { hasSecrets, maskSecrets } from './secrets.ts';
import { readPasted } from './use-paste.ts';
import type { PayloadState } from './use-payload.ts';

const LEAST_LINES = 4;
const MOST_LINES = 24;

/** The arguments as JSON, in step with the form. What cannot be read is said with its place, and stays. */
export function PayloadEditor({ state, form, className }: { state: PayloadState; form: FormSchema; className?: string }) {
  const [revealed, setRevealed] = useState(false);
  const secret = !revealed && hasSecrets(form) && !sameJson(maskSecrets(state.payload, form), state.payload);
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { text, problem, payload } = state;
  const lines = text.split('\n').length;

  function showProblem() {
    const element = area.current;
    if (element === null || problem === null) return;
    element.focus();
    element.setSelectionRange(problem.offset, Math.min(problem.offset + 1, text.length));
  }

  return (
    <section aria-label="Arguments as JSON" className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <div className="flex min-h-7 items-center gap-2">
        <label htmlFor={id} className="text-sm font-medium">
          As JSON
        </label>
        <span className="ml-auto flex items-center gap-1">
          {secret ? (
            <Button size="sm" variant="quiet" icon={<Eye aria-hidden />} onClick={() => setRevealed(true)}>
              Show the secrets and edit
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
      <textarea
        ref={area}
        id={id}
        data-payload
        value={secret ? writeJson(maskSecrets(payload, form)) : text}
        rows={Math.min(MOST_LINES, Math.max(LEAST_LINES, lines + 1))}
        readOnly={secret}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        wrap="off"
        aria-invalid={problem !== null || undefined}
        aria-describedby={`${id}-problem`}
        onPaste={(event) => {
          const pasted = readPasted(event.clipboardData.getData('text/plain'));
          const { selectionStart, selectionEnd } = event.currentTarget;
          // A whole object takes the place of the arguments, unless it fits where the cursor stands.
          if (pasted === null || secret || readJson(text.slice(0, selectionStart) + writeJson(pasted) + text.slice(selectionEnd)).ok)
            return;
          event.preventDefault();
          state.replace(pasted);
        }}
        onChange={(event) => state.setText(event.target.value)}
        className="w-full resize-y rounded border border-control-line bg-subtle px-3 py-2 font-mono text-sm leading-5 hover:border-fg/60 focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-failed"
      />
      <div id={`${id}-problem`} role="status" className="empty:hidden">
        {problem === null ? null : (
          <div className="flex flex-col gap-2 rounded bg-failed-soft px-3 py-2 text-sm">
            <p className="min-w-0">
              <span className="inline-flex items-center gap-1.5 font-medium text-failed">
                <CircleAlert aria-hidden className="size-3.5" />
                Line {problem.line}, column {problem.column}.
              </span>{' '}
              {problem.message} The form waits until the JSON can be read.
            </p>
            <span className="flex gap-1">
              <Button size="sm" onClick={showProblem}>
                Go there
              </Button>
              <Button size="sm" variant="quiet" onClick={state.dropText}>
                Drop this edit
              </Button>
            </span>
          </div>
        )}
      </div>
    </section>
  );
}
