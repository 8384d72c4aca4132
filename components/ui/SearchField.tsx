'use client';

import { Search, X } from 'lucide-react';
import { parseAsString, useQueryState } from 'nuqs';
import { type KeyboardEvent, startTransition, useEffect, useState } from 'react';
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
  max?: number | undefined;
  className?: string;
}

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

const PAUSE_MS = 250;

/**
 * Text of a search, as typed. It is written to the address when typing pauses and before the next click, which may open a
 * link: Next drops a navigation if the address changes before its page is there.
 */
export function useSearchText(name: string): readonly [text: string, setText: (text: string) => void] {
  const [written] = useQueryState(name, parseAsString.withDefault(''));
  const [typed, setTyped] = useState<string | null>(null);

  useEffect(() => {
    if (typed === null) return;
    function stop() {
      clearTimeout(timer);
      document.removeEventListener('click', write, true);
    }
    function write() {
      stop();
      // The setters of nuqs write only after the handlers of an event.
      startTransition(() => {
        const address = new URL(location.href);
        if (typed) address.searchParams.set(name, typed);
        else address.searchParams.delete(name);
        window.history.replaceState(null, '', address);
        setTyped(null);
      });
    }
    const timer = setTimeout(write, PAUSE_MS);
    document.addEventListener('click', write, true);
    return stop;
  }, [name, typed]);

  return [typed ?? written, setTyped];
}
