'use client';

import { SendHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import type { KeyboardEvent, Ref } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { textDrafts, useTextDraft } from '#components/ui/text-drafts.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { useBackLive } from '#lib/client/live-context.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { lengthState } from './conversation.ts';

export interface ComposerProps {
  /** What the box is for: "Message to telegram". */
  label: string;
  /** Under which what is written and not sent is kept. */
  draft: string;
  /** Sends; when it rejects the text stays and the message is shown. */
  onSend: (text: string, recipient: string) => Promise<unknown>;
  /** Absent where there is nobody to choose. */
  recipient?: { readonly value: string; readonly suggestions: readonly string[]; readonly onChange: (value: string) => void };
  /** What will become of it, where that is not plain. */
  note?: string | null;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Enter sends, as in every chat; on a touch screen Enter makes a line and the button sends. */
export function Composer({ label, draft, onSend, recipient, note = null, ref }: ComposerProps) {
  const [text, setText] = useTextDraft(draft);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  useBackLive(() => {
    if (hasProblemCode(problem, 'offline')) setProblem(null);
  });
  const id = useId();
  const length = lengthState(text.length, LIMITS.messageTextLength);
  const ready = text.trim() !== '' && length !== 'over';

  async function send() {
    if (!ready || pending) return;
    setPending(true);
    setProblem(null);
    try {
      await onSend(text, recipient?.value.trim() ?? '');
      textDrafts.settle(draft, text);
    } catch (error) {
      setProblem(error);
    } finally {
      setPending(false);
    }
  }

  function press(event: KeyboardEvent) {
    if (pressedKey(event) !== 'Enter' || event.shiftKey || event.altKey) return;
    const byKey = event.ctrlKey || event.metaKey;
    if (!byKey && window.matchMedia('(pointer: coarse)').matches) return;
    event.preventDefault();
    void send();
  }

  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      className="flex min-w-0 flex-col gap-2 border-t p-3"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2">
        {recipient === undefined ? null : (
          <span className="flex min-w-56 flex-1 items-center gap-2">
            <label htmlFor={`${id}-recipient`} className="text-sm text-muted">
              To
            </label>
            <Input
              id={`${id}-recipient`}
              list={`${id}-recipients`}
              autoComplete="off"
              placeholder="left to the channel"
              value={recipient.value}
              onChange={(event) => recipient.onChange(event.target.value)}
              className="h-7 max-w-64 pointer-coarse:h-10"
            />
            <datalist id={`${id}-recipients`}>
              {recipient.suggestions.map((sender) => (
                <option key={sender} value={sender}>
                  {sender}
                </option>
              ))}
            </datalist>
          </span>
        )}
        <span id={`${id}-hint`} className="ml-auto flex items-center gap-1 text-xs text-muted pointer-coarse:sr-only">
          <Kbd>Enter</Kbd> sends, <Kbd>Shift</Kbd> <Kbd>Enter</Kbd> makes a new line
        </span>
      </div>
      <div className="flex min-w-0 items-end gap-2">
        <Textarea
          {...(ref === undefined ? {} : { ref })}
          rows={1}
          aria-label={label}
          aria-describedby={`${id}-hint ${id}-note`}
          aria-invalid={length === 'over'}
          placeholder={label}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
          className="field-sizing-content max-h-48 min-h-10 resize-none py-2"
        />
        <Button type="submit" size="lg" variant="primary" icon={<SendHorizontal aria-hidden />} pending={pending} aria-disabled={!ready}>
          Send
        </Button>
      </div>
      <div id={`${id}-note`} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted empty:hidden">
        {note === null ? null : <span>{note}</span>}
        {length === 'fine' ? null : (
          <span className={cx('tabular ml-auto', length === 'over' && 'font-medium text-failed')}>
            {text.length.toLocaleString('en')} of {LIMITS.messageTextLength.toLocaleString('en')} characters
            {length === 'over' ? '; shorten it to send it' : ''}
          </span>
        )}
      </div>
      {problem === null ? null : <ProblemLine>Not sent, and still in the box: {messageOf(problem)}</ProblemLine>}
    </form>
  );
}
