'use client';

import type { KeyboardEvent, ReactNode } from 'react';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { cx } from './cx.ts';
import { pressedKey } from './pressed-key.ts';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  /** A count or state beside the label. */
  readonly note?: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  /** Label for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** Controlled if the page keeps the open tab in the URL. */
  value?: string;
  onChange?: (id: string) => void;
  className?: string;
}

/** ARIA tabs: arrow keys, Home and End. Not Radix, which would add 9 kB to every page with tabs. */
export function Tabs({ label, tabs, value, onChange, className }: TabsProps) {
  const base = useId();
  const [own, setOwn] = useState(tabs[0]?.id);
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const list = useRef<HTMLDivElement>(null);
  const wanted = value ?? own;
  const open = tabs.find((tab) => tab.id === wanted) ?? tabs[0];
  const openId = open?.id;

  /* Scrolls the open tab into view in a narrow row, without moving the page. */
  useLayoutEffect(() => {
    const row = list.current;
    const button = openId === undefined ? undefined : buttons.current.get(openId);
    if (row === null || button === undefined) return;
    const end = button.offsetLeft + button.offsetWidth;
    if (button.offsetLeft < row.scrollLeft) row.scrollLeft = button.offsetLeft;
    else if (end > row.scrollLeft + row.clientWidth) row.scrollLeft = end - row.clientWidth;
  }, [openId]);

  if (open === undefined) return null;

  function show(id: string) {
    setOwn(id);
    onChange?.(id);
  }

  function move(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.id === open?.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[pressedKey(event)];
    if (to === undefined) return;
    const next = tabs[(to + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    show(next.id);
    buttons.current.get(next.id)?.focus();
  }

  return (
    <div className={cx('flex min-w-0 flex-col', className)}>
      <div ref={list} role="tablist" aria-label={label} tabIndex={-1} onKeyDown={move} className="relative flex overflow-x-auto border-b">
        {tabs.map((tab) => {
          const selected = tab.id === open.id;
          return (
            <button
              key={tab.id}
              ref={(node) => {
                if (node === null) buttons.current.delete(tab.id);
                else buttons.current.set(tab.id, node);
              }}
              type="button"
              role="tab"
              id={`${base}-tab-${tab.id}`}
              aria-selected={selected}
              aria-controls={`${base}-panel-${tab.id}`}
              tabIndex={selected ? 0 : -1}
              onClick={() => show(tab.id)}
              className={cx(
                'focus-inset relative inline-flex h-9 shrink-0 items-center gap-2 px-2 text-base font-medium whitespace-nowrap text-muted transition-colors hover:text-fg pointer-coarse:h-11',
                selected && 'text-fg after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 after:bg-accent',
              )}
            >
              {tab.label}
              {tab.note === undefined || tab.note === null ? null : <span className="tabular text-xs text-muted">{tab.note}</span>}
            </button>
          );
        })}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel-${open.id}`}
        aria-labelledby={`${base}-tab-${open.id}`}
        tabIndex={0}
        className="focus-inset min-w-0 flex-1"
      >
        {open.content}
      </div>
    </div>
  );
}
