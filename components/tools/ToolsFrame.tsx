'use client';

import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useSelectedLayoutSegment } from 'next/navigation';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { decodedPart } from '#components/ui/decoded-part.ts';
import { IconButton } from '#components/ui/IconButton.tsx';
import { useMatch } from '#components/ui/browser-value.ts';
import { cookieInBrowser, writeCookie } from '#components/ui/write-cookie.ts';
import { ToolList } from './ToolList.tsx';
import { type ListState, readListState, TOOL_LIST_COOKIE } from './tool-words.ts';

/** The same width as the class `2xl`. */
const WIDE = '(min-width: 1600px)';

interface ToolsFrameProps {
  readonly list: ListState;
  readonly children: ReactNode;
}

export function ToolsFrame({ list: first, children }: ToolsFrameProps) {
  const segment = useSelectedLayoutSegment();
  const [list, setList] = useState(() => readListState(cookieInBrowser(TOOL_LIST_COOKIE) ?? first));
  if (segment === null) return children;
  return (
    <div
      data-list={list}
      className="group/frame grid min-w-0 gap-y-4 xl:grid-cols-[2rem_minmax(0,1fr)] xl:gap-x-3 xl:data-[list=open]:grid-cols-[15rem_minmax(0,1fr)] xl:data-[list=open]:gap-x-6 2xl:data-[list=auto]:grid-cols-[15rem_minmax(0,1fr)] 2xl:data-[list=auto]:gap-x-6"
    >
      <ToolSidebar
        open={decodedPart(segment)}
        list={list}
        onChange={(next) => {
          setList(next);
          writeCookie(TOOL_LIST_COOKIE, next);
        }}
      />
      {children}
    </div>
  );
}

function ToolSidebar({ open, list, onChange }: { open: string; list: ListState; onChange: (list: ListState) => void }) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const isWide = useMatch(WIDE);
  const isShown = list === 'open' || (list === 'auto' && isWide);
  useLayoutEffect(() => {
    const list = scroller.current;
    const link = list?.querySelector('[data-tool][aria-current]') ?? null;
    if (list === null || link === null) return;
    const rect = list.getBoundingClientRect();
    const row = link.getBoundingClientRect();
    const top = list.querySelector('[data-list-head]')?.getBoundingClientRect().bottom ?? rect.top;
    if (row.top >= top && row.bottom <= rect.bottom) return;
    list.scrollTop += row.top - (top + rect.bottom - row.height) / 2;
  }, [open, isShown]);
  return (
    <aside aria-label="All tools" className="sticky top-18 flex max-h-[calc(100dvh-6rem)] min-w-0 flex-col gap-2 self-start max-xl:hidden">
      <IconButton
        label={isShown ? 'Hide the list of tools' : 'Show the list of tools'}
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => onChange(isShown ? 'closed' : 'open')}
      >
        {isShown ? <PanelLeftClose /> : <PanelLeftOpen />}
      </IconButton>
      <div
        ref={scroller}
        id={id}
        className="-mx-2 hidden min-h-0 scroll-pt-24 overflow-y-auto px-2 pb-4 group-data-[list=open]/frame:block 2xl:group-data-[list=auto]/frame:block"
      >
        {list === 'closed' ? null : <ToolList open={open} />}
      </div>
    </aside>
  );
}
