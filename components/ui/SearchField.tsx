'use client';

import { Search, X } from 'lucide-react';
import type { KeyboardEvent, Ref } from 'react';
import { cx } from './cx.ts';
import { Input } from './Field.tsx';
import { pressedKey } from './pressed-key.ts';
import { useTypedText } from './use-typed-text.ts';

export interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  ref?: Ref<HTMLInputElement>;
  /** Only the main search of a page is a landmark. */
  isLandmark?: boolean;
  /** Maximum length; unlimited by default. */
  most?: number | undefined;
  className?: string;
}

/** Filters while typing; Escape clears it. */
export function SearchField({ label, placeholder, value, onChange, onKeyDown, ref, isLandmark = true, most, className }: SearchFieldProps) {
  const { text, type, leave } = useTypedText(value, onChange);
  return (
    <div {...(isLandmark ? { role: 'search' } : {})} className={cx('relative min-w-0', className)}>
      <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
      <Input
        {...(ref === undefined ? {} : { ref })}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={placeholder}
        maxLength={most}
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={leave}
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
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}
