'use client';

import { Search, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { cx } from './cx.ts';
import { Input } from './Field.tsx';
import { pressedKey } from './pressed-key.ts';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  /** Only the main search of a page is a landmark. */
  isLandmark?: boolean;
  /** Maximum length; unlimited by default. */
  max?: number | undefined;
  className?: string;
}

/** Filters while typing; Escape clears it. */
export function SearchField({ label, placeholder, value, onChange, onKeyDown, isLandmark = true, max, className }: SearchFieldProps) {
  return (
    <div role={isLandmark ? 'search' : undefined} className={cx('relative min-w-0', className)}>
      <Search className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
      <Input
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={placeholder}
        maxLength={max}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (pressedKey(event) === 'Escape' && value !== '') {
            event.stopPropagation();
            onChange('');
          }
          onKeyDown?.(event);
        }}
        className="pr-8 pl-8"
      />
      {value === '' ? null : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={(event) => {
            onChange('');
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
