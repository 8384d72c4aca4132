'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { useLayoutEffect, useRef, useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { VisibleItems } from '#components/ui/stable-rows.tsx';
import { useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { SearchField } from '#components/ui/SearchField.tsx';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { queries } from '#lib/client/queries.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { filterExtensions, sortExtensions } from './ExtensionState.tsx';

export function ExtensionSideList({ open }: { open: string }) {
  const { data } = useQuery(queries.extensions());
  const [q, setQ] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const matching = sortExtensions(filterExtensions(data?.extensions ?? [], { q, state: null, kind: null }));
  const { list, rows } = useVisibleRows<HTMLUListElement, Extension>({
    name: 'extensions beside one',
    items: matching,
    height: 32,
    needed: open,
  });
  const isRead = data !== undefined;
  useLayoutEffect(() => {
    const element = scroller.current;
    const row = element?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (element === null || row === undefined) return;
    const rect = element.getBoundingClientRect();
    if (row.top < rect.top || row.bottom > rect.bottom) element.scrollTop += row.top - (rect.top + rect.bottom - row.height) / 2;
  }, [open, isRead]);
  return (
    <aside aria-label="All extensions" className="sticky top-18 flex max-h-[calc(100dvh-6rem)] flex-col gap-2 self-start max-xl:hidden">
      <SearchField label="Search extensions" placeholder="Search extensions" value={q} onChange={setQ} />
      <div ref={scroller} className="min-h-0 overflow-y-auto rounded border bg-panel p-1">
        <ul ref={list}>
          <VisibleItems rows={rows} size={matching.length}>
            {({ id, state }, place) => (
              <li {...place}>
                <ListLink
                  href={PAGES.extension(id)}
                  title={id}
                  aria-current={id === open ? 'page' : undefined}
                  className={cx(
                    'focus-inset flex h-8 items-center gap-2 rounded-sm px-2',
                    id === open ? 'bg-accent-soft font-medium' : 'hover:bg-hover',
                  )}
                >
                  <StateIcon state={state} className="size-3.5" />
                  <span className="sr-only">{STATES[state].word}: </span>
                  <span className="truncate">{id}</span>
                </ListLink>
              </li>
            )}
          </VisibleItems>
          {matching.length === 0 ? <li className="px-2 py-3 text-center text-muted">No matching extensions</li> : null}
        </ul>
      </div>
    </aside>
  );
}
