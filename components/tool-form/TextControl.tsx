'use client';

import { Eye, EyeOff } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { useBrowserValue } from '#components/ui/browser-value.ts';
import { Input, Textarea } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { type ControlProps, emptyWords, useAfterRender, useControlNames, useFormView } from './form-view.tsx';
import { Button } from '#components/ui/Button.tsx';
import { type DateKind, localTimeText, pickedText, sentText, utcOf } from '#components/ui/date-text.ts';
import { DateInput } from '#components/ui/DateInput.tsx';
import { useInvalidInput, useStoredInput, useStoreInput } from './incomplete-input.ts';
import { readNumber, stepped } from './json-text.ts';

const BREAK = /[\r\n]/;
const BREAKS = /\r\n?/g;

interface Lines {
  readonly isMultiline: boolean;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
  readonly onDrop: (event: DragEvent<HTMLInputElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/**
 * A single-line field drops line breaks silently, which corrupts a pasted key or list. It becomes multi-line when a line break
 * is pasted, dropped or typed with Shift+Enter.
 */
function useLineBreaks(text: string, always: boolean, onText: (text: string) => void): Lines {
  const [isMultiline, setIsMultiline] = useState(always || text.includes('\n'));
  const area = useRef<HTMLTextAreaElement>(null);
  const afterRender = useAfterRender();
  if (!isMultiline && text.includes('\n')) setIsMultiline(true);

  function insert(added: string, from: number, to: number) {
    afterRender(() => {
      area.current?.focus();
      area.current?.setSelectionRange(from + added.length, from + added.length);
    });
    setIsMultiline(true);
    onText(text.slice(0, from) + added + text.slice(to));
  }

  return {
    isMultiline,
    area,
    onPaste(event) {
      const pasted = event.clipboardData.getData('text/plain');
      if (!BREAK.test(pasted)) return;
      event.preventDefault();
      insert(pasted.replaceAll(BREAKS, '\n'), ...selectionOf(event.currentTarget));
    },
    onDrop(event) {
      const dropped = event.dataTransfer.getData('text/plain');
      if (!BREAK.test(dropped)) return;
      event.preventDefault();
      const at = droppedAt(event) ?? text.length;
      insert(dropped.replaceAll(BREAKS, '\n'), at, at);
    },
    onKeyDown(event) {
      if (pressedKey(event) !== 'Enter' || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      insert('\n', ...selectionOf(event.currentTarget));
    },
  };
}

function selectionOf({ selectionStart, selectionEnd, value }: HTMLInputElement): [from: number, to: number] {
  const from = selectionStart ?? value.length;
  return [from, selectionEnd ?? from];
}

/** Caret offset of a drop; null if the browser does not report it. */
function droppedAt({ clientX, clientY, currentTarget }: DragEvent<HTMLInputElement>): number | null {
  if (!('caretPositionFromPoint' in document)) return null;
  const caret = document.caretPositionFromPoint(clientX, clientY);
  return caret?.offsetNode === currentTarget ? caret.offset : null;
}

const MAX_LINES = 14;

/** Empty text means: not sent. */
export function TextControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const [shown, setShown] = useState(false);
  const isHidden = plan.secret || plan.control === 'password';
  const text = typeof value === 'string' ? value : '';
  const type = (next: string) => onChange(next === '' ? undefined : next);
  const { isMultiline, area, ...line } = useLineBreaks(text, plan.control === 'multiline', type);
  const common = {
    ...names,
    value: text,
    placeholder: value === '' && !isHidden ? 'empty text' : value === null && !isHidden ? 'null' : emptyWords(plan),
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    onBlur: () => onVisit(pointer),
  };
  const field = isMultiline ? (
    <Textarea
      {...common}
      ref={area}
      rows={Math.min(MAX_LINES, Math.max(3, text.split('\n').length + 1))}
      onChange={(event) => type(event.target.value)}
      className={cx(isHidden && 'pr-10', isHidden && !shown && '[-webkit-text-security:disc]')}
    />
  ) : (
    <Input
      {...common}
      {...line}
      type={isHidden && !shown ? 'password' : 'text'}
      inputMode={plan.keyboard}
      onChange={(event) => type(event.target.value)}
      className={cx(isHidden && 'pr-10')}
    />
  );
  if (!isHidden) return field;
  return (
    <span className="relative flex">
      {field}
      <RevealButton shown={shown} onShown={setShown} className={isMultiline ? 'top-1' : BESIDE_ONE_LINE} />
    </span>
  );
}

/**
 * A native number field hides text it cannot parse and then sends nothing. Here such text stays visible and blocks the run.
 * Arrow keys step.
 */
export function NumberControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const half = useStoredInput(pointer);
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState<{ text: string; value: number | bigint | undefined; problem: string | null } | null>(() =>
    half === null ? null : { text: half, ...readNumber(half) },
  );
  const current = typed !== null && (typed.value ?? null) === (value ?? null) ? typed : null;
  const problem = current?.problem ?? null;

  useInvalidInput(pointer, problem, current?.text ?? null);

  function type(text: string) {
    const reading = readNumber(text);
    setTyped({ text, ...reading });
    onChange(reading.value);
  }

  function count(event: KeyboardEvent) {
    const direction = pressedKey(event) === 'ArrowUp' ? 1 : pressedKey(event) === 'ArrowDown' ? -1 : 0;
    if (direction === 0 || problem !== null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = isNumber(value) ? value : isNumber(plan.defaultValue?.value) ? plan.defaultValue.value : 0;
    type(String(stepped(from, direction * (plan.step ?? 1))));
  }

  const field = (
    <Input
      {...names}
      type={plan.secret && !shown ? 'password' : 'text'}
      inputMode={plan.keyboard === 'numeric' ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={current?.text ?? (isNumber(value) ? String(value) : '')}
      placeholder={value === null && plan.nullable ? 'null' : emptyWords(plan)}
      onChange={(event) => type(event.target.value)}
      onKeyDown={count}
      onBlur={() => {
        if (problem === null) setTyped(null);
        onVisit(pointer);
      }}
      className={plan.secret ? 'tabular pr-10' : 'tabular'}
    />
  );
  if (!plan.secret) return field;
  return (
    <span className="relative flex">
      {field}
      <RevealButton shown={shown} onShown={setShown} className={BESIDE_ONE_LINE} />
    </span>
  );
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function RevealButton({ shown, onShown, className }: { shown: boolean; onShown: (shown: boolean) => void; className: string }) {
  return (
    <IconButton
      size="sm"
      label={shown ? 'Hide the text' : 'Show the text'}
      aria-pressed={shown}
      onClick={() => onShown(!shown)}
      className={cx('absolute right-0.5', className)}
    >
      {shown ? <EyeOff /> : <Eye />}
    </IconButton>
  );
}

const BESIDE_ONE_LINE = 'top-1/2 -translate-y-1/2';

/** Shows the text as typed, and below it the value if that differs. */
export function DateControl({ kind, ...props }: ControlProps & { kind: DateKind }) {
  const { plan, pointer, name, value, onChange } = props;
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const { text, type } = useTypedDate(kind, props);
  const says = useValueNote(text, value);
  const saysId = `${names.id}-says`;

  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center gap-2">
        <DateInput
          {...names}
          kind={kind}
          name={name}
          aria-describedby={says === null ? names['aria-describedby'] : `${saysId} ${names['aria-describedby']}`}
          value={text}
          placeholder={value === null ? 'null' : emptyWords(plan)}
          onType={type}
          onPick={(picked) => type(pickedText(kind, picked, text) ?? '')}
          onBlur={() => onVisit(pointer)}
        />
        {kind === 'date-time' ? (
          <Button size="sm" variant="quiet" onClick={() => onChange(utcOf(new Date()) ?? undefined)}>
            Now
          </Button>
        ) : null}
      </span>
      {says === null ? null : (
        <span id={saysId} className="tabular text-xs text-muted">
          {says}
        </span>
      )}
    </span>
  );
}

/** The typed text, as long as it stands for the value. */
function useTypedDate(kind: DateKind, { pointer, value, onChange }: ControlProps) {
  const stored = useStoredInput(pointer);
  const [typed, setTyped] = useState(stored);
  const isCurrent = typed !== null && sentText(kind, typed) === value;
  useStoreInput(pointer, isCurrent && typed !== value ? typed : null);

  function type(next: string) {
    setTyped(next);
    onChange(next === '' ? undefined : sentText(kind, next));
  }

  return { text: isCurrent ? typed : typeof value === 'string' ? value : '', type };
}

/** The value if it differs from the text, else the same in local time. */
function useValueNote(text: string, value: unknown): string | null {
  const local = useBrowserValue(() => localTimeText(text), null);
  if (typeof value === 'string' && value !== text) return `Sent as ${value}`;
  return local === null ? null : `${local} in local time`;
}
