'use client';

import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { queries } from '#lib/client/queries.ts';
import { ToolList } from './ToolList.tsx';

/** Where the list stood when it was last in sight: the page of each tool draws it anew. */
let lastTop = 0;

/** Every tool beside the one that is open, which is in sight there. */
export function ToolSidebar({ open }: { open: string }) {
  const box = useRef<HTMLDivElement>(null);
  const { data } = useQuery(queries.tools());
  const isRead = data !== undefined;

  useLayoutEffect(() => {
    const list = box.current;
    const link = list?.querySelector<HTMLElement>('[data-tool][aria-current]') ?? null;
    if (list === null || link === null) return;
    list.scrollTop = lastTop;
    const around = list.getBoundingClientRect();
    const row = link.getBoundingClientRect();
    const top = list.querySelector('[data-list-head]')?.getBoundingClientRect().bottom ?? around.top;
    if (row.top >= top && row.bottom <= around.bottom) return;
    list.scrollTop += row.top - (top + around.bottom - row.height) / 2;
  }, [open, isRead]);

  return (
    <aside aria-label="Every tool" className="min-w-0 max-xl:hidden">
      <div
        ref={box}
        onScroll={(event) => {
          lastTop = event.currentTarget.scrollTop;
        }}
        className="sticky top-18 -mx-2 max-h-[calc(100dvh-6rem)] scroll-pt-24 overflow-y-auto px-2 pb-4"
      >
        <ToolList open={open} />
      </div>
    </aside>
  );
}
