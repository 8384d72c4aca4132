'use client';

import { Search, X } from 'lucide-react';
import { type KeyboardEvent, type Ref, useEffect, useState } from 'react';
import { cx } from './cx.ts';
import { Input } from './Field.tsx';
import { pressedKey } from './pressed-key.ts';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  ref?: Ref<HTMLInputElement>;
  /** Only the main search of a page is a landmark. */
  isLandmark?: boolean;
  /** Maximum length; unlimited by default. */
  max?: number | undefined;
  className?: string;
}

/** Filters while typing; Escape clears it. */
export function SearchField({ label, placeholder, value, onChange, onKeyDown, ref, isLandmark = true, max, className }: SearchFieldProps) {
  const { text, type, reset } = useTypedText(value, onChange);
  return (
    <div role={isLandmark ? 'search' : undefined} className={cx('relative min-w-0', className)}>
      <Search className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
      <Input
        ref={ref}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={placeholder}
        maxLength={max}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={reset}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Escape' && text !== '') {
            event.stopPropagation();
            type('');
          }
          onKeyDown?.(event);
        }}
        className="pr-8 pl-8"
      />
      {text === '' ? null : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={(event) => {
            type('');
            event.currentTarget.parentElement?.querySelector('input')?.focus();
          }}
          className="absolute top-1/2 right-1 inline-flex size-6 -translate-y-1/2 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-fg"
        >
          <X className="size-3.5" />
        </button>
      )}
    </div>
  );
}

const IDLE_MS = 1_000;

interface TypedText {
  /** Text of the field. */
  readonly text: string;
  readonly type: (text: string) => void;
  /** Ends typing: the field shows the page's value immediately. */
  readonly reset: () => void;
}

interface Typed {
  readonly text: string;
  /** The page's value when typing began, and all values since: a late one is not an external change. */
  readonly reported: ReadonlySet<string>;
}

/**
 * Text of a field whose value is stored in the URL. The URL may update late, after more was typed: the field keeps the newer
 * text. External changes, Back, and a second without typing reset it to the URL's value.
 */
function useTypedText(value: string, onChange: (text: string) => void): TypedText {
  const [typed, setTyped] = useState<Typed | null>(null);
  const own = typed?.reported.has(value) === true ? typed : null;

  useEffect(() => {
    if (typed === null) return;
    const reset = (): void => setTyped(null);
    const timer = setTimeout(reset, IDLE_MS);
    window.addEventListener('popstate', reset);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('popstate', reset);
    };
  }, [typed, value]);

  return {
    text: own?.text ?? value,
    type(text) {
      setTyped({ text, reported: new Set([...(own?.reported ?? [value]), text]) });
      onChange(text);
    },
    reset: () => setTyped(null),
  };
}
