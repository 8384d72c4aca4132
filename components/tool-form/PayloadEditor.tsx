'use client';

import { CircleAlert, Eye } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import type { FormSchema } from './field-plan.ts';
import type { IssueMap } from './issues.ts';
import { isJsonObject, readJson, writeJson } from './json-text.ts';
import { JsonText } from './JsonText.tsx';
import type { JsonTextHandle } from './JsonText.tsx';
import { sameJson } from './same-json.ts';
import { maskSecrets, mayHoldSecrets } from './secrets.ts';
import { readPasted } from './use-paste.ts';
import type { PasteTarget } from './use-paste.ts';
import type { PayloadState } from './use-payload.ts';

const LEAST_LINES = 4;
const MOST_LINES = 24;

export interface PayloadEditorProps {
  state: PayloadState;
  form: FormSchema;
  /** For what is pasted. */
  target: PasteTarget;
  issues: IssueMap;
  /** It is only to be looked at. */
  readOnly?: boolean;
  className?: string;
}

/** The arguments as JSON, in step with the form. What cannot be read is said with its place, and stays. */
export function PayloadEditor({ state, form, target, issues, readOnly = false, className }: PayloadEditorProps) {
  const [revealed, setRevealed] = useState(false);
  // Who types a secret here sees it until he goes elsewhere.
  const [typing, setTyping] = useState(false);
  const isHeld = !revealed && !typing && mayHoldSecrets(state.text, form);
  const secret = isHeld && !sameJson(maskSecrets(state.payload, form), state.payload);
  const area = useRef<JsonTextHandle>(null);
  const id = useId();
  const { text, problem, payload } = state;

  return (
    <section aria-label="Arguments as JSON" className={cx('flex min-w-0 flex-col gap-1.5', className)}>
      <div className="flex min-h-7 items-center gap-2">
        <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
          As JSON
        </label>
        <span className="ml-auto flex items-center gap-1">
          {secret ? (
            <Button size="sm" variant="quiet" icon={<Eye aria-hidden />} onClick={() => setRevealed(true)}>
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
        least={LEAST_LINES}
        most={MOST_LINES}
        onPaste={(clip, from, to) => {
          const pasted = readPasted(clip, target);
          // A whole object takes the place of the arguments, unless it fits where the cursor stands.
          if (pasted === null || 'problem' in pasted || secret || readOnly) return false;
          const inserted = readJson(text.slice(0, from) + clip + text.slice(to));
          const isWhole = text.slice(0, from).trim() === '' && text.slice(to).trim() === '';
          if (inserted.ok && isJsonObject(inserted.value) && (!isWhole || sameJson(inserted.value, pasted.payload))) return false;
          state.replace(pasted.payload);
          return true;
        }}
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
              <Button size="sm" onClick={() => area.current?.select(problem.offset, Math.min(problem.offset + 1, text.length))}>
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
