'use client';

import { type ComponentType, useContext, useEffect, useEffectEvent, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { cx } from '#components/ui/cx.ts';
import type { JsonEditorProps, JsonTextProps } from './JsonEditor.tsx';
import type { FormSchema } from './field-plan.ts';
import { type ControlProps, IssuesContext, fieldIdOf, useControlNames, useFormView } from './form-view.tsx';
import { useInvalidInput, useStoredInput } from './incomplete-input.ts';
import { type IssueMap, isWithin, pointerInWords } from './issues.ts';
import { type JsonProblem, readJson, sameJson, writeJson } from './json-text.ts';

/** A text area lays out all lines; the editor only visible ones. */
const LARGE = 50_000;

interface Loaded {
  readonly Editor: ComponentType<JsonEditorProps>;
  readonly start: JsonEditorProps['start'];
}

/**
 * A text area that becomes an editor on the first input or click, since the editor is a large chunk. The text area serves until
 * then, and if loading fails. Large texts are read-only until the editor loads.
 */
export function JsonText(props: JsonTextProps) {
  const { text, onText, attributes, disabled, readOnly, min, max, hint, onLeave, onPaste, handle } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const composing = useRef(false);
  const requested = useRef(false);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [unloadable, setUnloadable] = useState(false);
  const isLarge = text.length > LARGE && !unloadable;

  useImperativeHandle(
    loaded === null ? handle : null,
    () => ({
      select(from, to) {
        area.current?.focus();
        area.current?.setSelectionRange(from, to);
      },
    }),
    [],
  );

  function showEditor(Editor: Loaded['Editor']) {
    const element = area.current;
    if (element === null) return;
    if (composing.current) {
      element.addEventListener('compositionend', () => setTimeout(() => showEditor(Editor)), { once: true });
      return;
    }
    const { selectionStart: from, selectionEnd: to, scrollTop: top, scrollLeft: left } = element;
    const isFocused = document.activeElement === element;
    // Synchronously: a key pressed in between would be lost.
    flushSync(() => setLoaded({ Editor, start: { from, to, isFocused, top, left } }));
  }

  async function load() {
    if (requested.current) return;
    requested.current = true;
    try {
      showEditor((await import('./JsonEditor.tsx')).JsonEditor);
    } catch {
      requested.current = false;
    }
  }

  const onLoaded = useEffectEvent(showEditor);
  useEffect(() => {
    if (!isLarge || requested.current) return;
    requested.current = true;
    import('./JsonEditor.tsx').then(
      (module) => onLoaded(module.JsonEditor),
      () => {
        requested.current = false;
        setUnloadable(true);
      },
    );
  }, [isLarge]);

  if (loaded !== null) return <loaded.Editor {...props} start={loaded.start} />;
  return (
    <textarea
      ref={area}
      {...attributes}
      value={isLarge ? text.slice(0, LARGE) : text}
      rows={isLarge ? max : Math.min(max, Math.max(min, text.split('\n').length))}
      placeholder={hint}
      disabled={disabled}
      readOnly={readOnly || isLarge}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      wrap="off"
      onChange={(event) => onText(event.target.value)}
      onBlur={onLeave}
      onPaste={(event) => {
        const { selectionStart, selectionEnd } = event.currentTarget;
        if (onPaste?.(event.clipboardData.getData('text/plain'), selectionStart, selectionEnd) === true) event.preventDefault();
      }}
      onKeyUp={() => void load()}
      onPointerUp={() => void load()}
      onCompositionStart={() => {
        composing.current = true;
      }}
      onCompositionEnd={() => {
        composing.current = false;
      }}
      className={cx(
        'w-full resize-y rounded border border-control-line bg-subtle px-3 py-2 font-mono text-sm leading-5 hover:border-fg/60',
        'focus-visible:outline-offset-0 disabled:opacity-60 aria-invalid:border-failed',
      )}
    />
  );
}

const MAX_LINES = 16;
const MAX_NAMED = 5;

export function JsonControl({
  plan,
  part,
  pointer,
  path,
  value,
  required,
  isEntry,
  onChange,
  jsonReason,
}: ControlProps & { part: FormSchema; jsonReason?: string }) {
  const { 'aria-invalid': isInvalid, ...names } = useControlNames(pointer);
  const issues = useContext(IssuesContext);
  const within = useMemo(() => issuesWithin(issues, pointer), [issues, pointer]);
  const inside = [...within].filter(([path]) => path !== '');
  const { disabled, onVisit, onTouch } = useFormView();
  const half = useStoredInput(pointer);
  const [typed, setTyped] = useState<{ text: string; value: unknown; problem: JsonProblem | null } | null>(() => {
    const reading = half === null ? null : readJson(half, path.length);
    return half === null || reading === null || reading.ok ? null : { text: half, value, problem: reading.problem };
  });
  // Lists have no holes: an empty item holds null, shown as a placeholder.
  const isBlank = value === undefined || (value === null && isEntry);
  const current = typed !== null && (sameJson(typed.value, value) || (typed.value === undefined && isBlank)) ? typed : null;
  const problem = current?.problem ?? null;
  const message = problem === null ? null : `Line ${problem.line}, column ${problem.column}: ${problem.message}`;
  const text = current?.text ?? (isBlank ? '' : writeJson(value));

  useInvalidInput(pointer, message, text);

  function type(next: string) {
    if (next.trim() === '') {
      setTyped({ text: next, value: undefined, problem: null });
      onChange(undefined);
      return;
    }
    const reading = readJson(next, path.length);
    if (reading.ok) {
      setTyped({ text: next, value: reading.value, problem: null });
      onChange(reading.value);
    } else {
      onTouch(pointer);
      setTyped({ text: next, value, problem: reading.problem });
    }
  }

  return (
    <>
      <JsonText
        text={text}
        onText={type}
        form={part}
        problem={problem}
        issues={within}
        attributes={{
          ...names,
          'aria-labelledby': `${fieldIdOf(pointer)}-label`,
          ...(isInvalid === true ? { 'aria-invalid': 'true' } : {}),
        }}
        disabled={disabled || (plan.readOnly && !required && value === undefined)}
        readOnly={false}
        min={2}
        max={MAX_LINES}
        hint={
          plan.defaultValue === null || value === null
            ? `${value === null ? 'null' : 'not sent'}; write JSON, for example "text", 1 or {"name": "value"}`
            : `default: ${JSON.stringify(plan.defaultValue.value)}`
        }
        onLeave={() => onVisit(pointer)}
      />
      {inside.slice(0, MAX_NAMED).map(([path, messages]) => (
        <p key={path} className="foreign text-xs font-medium text-failed">
          {pointerInWords(path, value)}: {messages.join(' ')}
        </p>
      ))}
      {inside.length > MAX_NAMED ? <p className="text-xs text-muted">and {inside.length - MAX_NAMED} more</p> : null}
      <p className="text-xs text-muted">{jsonReason ?? plan.jsonReason} Edited as JSON.</p>
    </>
  );
}

function issuesWithin(issues: IssueMap, pointer: string): IssueMap {
  const own = [...issues].filter(([path]) => isWithin(path, pointer));
  return new Map(own.map(([path, messages]) => [path.slice(pointer.length), messages]));
}
