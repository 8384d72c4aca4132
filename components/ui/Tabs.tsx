'use client';

import { Content, List, Root, Trigger } from 'radix-ui/tabs';
import type { ReactNode } from 'react';
import { useRef, useState } from 'react';
import { cx } from './cx.ts';
import { useScrollInRow } from './use-scroll-in-row.ts';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  /** A count or state beside the label. */
  readonly note?: ReactNode;
  readonly content: ReactNode;
  /** Keeps its state while another tab is open. */
  readonly staysMounted?: boolean;
}

export interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  /** Controlled if the page keeps the open tab in the URL. */
  value?: string | undefined;
  onChange?: (id: string) => void;
  className?: string | undefined;
  contentClassName?: string | undefined;
}

export function Tabs({ label, tabs, value, onChange, className, contentClassName }: TabsProps) {
  const [own, setOwn] = useState(tabs[0]?.id);
  const list = useRef<HTMLDivElement>(null);
  const wanted = value ?? own;
  const open = tabs.find((tab) => tab.id === wanted) ?? tabs[0];
  const openId = open?.id;

  useScrollInRow(list, '[data-state=active]', openId);

  if (open === undefined) return null;
  return (
    <Root
      value={open.id}
      onValueChange={(id) => {
        setOwn(id);
        onChange?.(id);
      }}
      className={cx('flex min-w-0 flex-col', className)}
    >
      <div className="border-b">
        <List ref={list} aria-label={label} className="fade-right relative flex overflow-x-auto">
          {tabs.map((tab) => (
            <Trigger
              key={tab.id}
              value={tab.id}
              // Radix focuses it by script, for which browsers show the focus ring.
              onMouseDown={(event) => event.currentTarget.focus({ focusVisible: false })}
              className="focus-inset relative inline-flex h-9 shrink-0 items-center gap-2 px-2 text-base font-medium whitespace-nowrap text-muted transition-colors hover:text-fg data-[state=active]:text-fg data-[state=active]:after:absolute data-[state=active]:after:inset-x-2 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:bg-accent pointer-coarse:h-11"
            >
              {tab.label}
              {tab.note === undefined || tab.note === null ? null : <span className="tabular text-xs text-muted">{tab.note}</span>}
            </Trigger>
          ))}
        </List>
      </div>
      {tabs.map((tab) => (
        <Content
          key={tab.id}
          value={tab.id}
          className={cx('focus-inset min-w-0 flex-1', contentClassName)}
          {...(tab.staysMounted === true ? { forceMount: true, hidden: tab.id !== open.id } : {})}
        >
          {tab.content}
        </Content>
      ))}
    </Root>
  );
}
