'use client';

import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import type { ComponentType, Ref } from 'react';
import { flushSync } from 'react-dom';
import { cx } from '#components/ui/cx.ts';
import type { FormSchema } from './field-plan.ts';
import type { IssueMap } from './issues.ts';
import type { JsonEditorProps } from './json-editor/JsonEditor.tsx';
import type { JsonProblem } from './json-text.ts';

export interface JsonTextHandle {
  /** Goes there and marks that part. */
  select(from: number, to: number): void;
}

export interface JsonTextProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** What the text may hold. */
  readonly form: FormSchema;
  /** Why it cannot be read. */
  readonly problem: JsonProblem | null;
  /** What is wrong with what was read, by place. */
  readonly issues: IssueMap;
  /** Of the element that is typed into: its id and names. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly readOnly: boolean;
  /** Of lines that are shown. */
  readonly least: number;
  readonly most: number;
  readonly hint?: string;
  readonly onLeave?: () => void;
  /** True: the paste was dealt with. */
  readonly onPaste?: (pasted: string, from: number, to: number) => boolean;
  readonly handle?: Ref<JsonTextHandle>;
}

/** A text area lays out every line it has, for seconds; the editor only those in sight. */
const LARGE = 50_000;

interface Loaded {
  readonly Editor: ComponentType<JsonEditorProps>;
  readonly start: JsonEditorProps['start'];
}

/**
 * A JSON text to be edited: a plain text area that becomes an editor once somebody types or clicks in it. The editor is a large
 * piece of code, and most forms are filled in without it; until it has come, and where it does not come, the text area serves. A
 * large text is shown in the editor alone, and until then its beginning.
 */
export function JsonText(props: JsonTextProps) {
  const { text, onText, attributes, disabled, readOnly, least, most, hint, onLeave, onPaste, handle } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const composing = useRef(false);
  const asked = useRef(false);
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

  function take(Editor: Loaded['Editor']) {
    const element = area.current;
    if (element === null) return;
    if (composing.current) {
      element.addEventListener('compositionend', () => setTimeout(() => take(Editor)), { once: true });
      return;
    }
    const { selectionStart: from, selectionEnd: to, scrollTop: top, scrollLeft: left } = element;
    const isFocused = document.activeElement === element;
    // At once: a key that is pressed between now and then would be lost.
    flushSync(() => setLoaded({ Editor, start: { from, to, isFocused, top, left } }));
  }

  async function load() {
    if (asked.current) return;
    asked.current = true;
    try {
      take((await import('./json-editor/JsonEditor.tsx')).JsonEditor);
    } catch {
      asked.current = false;
    }
  }

  const arrived = useEffectEvent(take);
  useEffect(() => {
    if (!isLarge || asked.current) return;
    asked.current = true;
    import('./json-editor/JsonEditor.tsx').then(
      (module) => arrived(module.JsonEditor),
      () => {
        asked.current = false;
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
      rows={isLarge ? most : Math.min(most, Math.max(least, text.split('\n').length))}
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
