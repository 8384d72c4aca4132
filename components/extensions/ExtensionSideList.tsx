'use client';

import { useQuery } from '@tanstack/react-query';
import { ListLink } from '#components/ui/ListLink.tsx';
import { useLayoutEffect, useRef, useState } from 'react';
import { cx } from '#components/ui/cx.ts';
import { useRowsInSteps } from '#components/ui/use-rows-in-steps.ts';
import { SearchField } from '#components/ui/SearchField.tsx';
import { StateIcon, STATES } from '#components/ui/Badge.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { filterExtensions, sortExtensions } from './ExtensionState.tsx';

export function ExtensionSideList({ open }: { open: string }) {
  const { data } = useQuery(queries.extensions());
  const [q, setQ] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const matching = sortExtensions(filterExtensions(data?.extensions ?? [], { q, state: null, kind: null }));
  const { shown, end } = useRowsInSteps<HTMLLIElement>(matching.length, matching.findIndex(({ id }) => id === open) + 1);
  const isRead = data !== undefined;
  useLayoutEffect(() => {
    const element = list.current;
    const row = element?.querySelector('[aria-current]')?.getBoundingClientRect();
    if (element === null || row === undefined) return;
    const rect = element.getBoundingClientRect();
    if (row.top < rect.top || row.bottom > rect.bottom) element.scrollTop += row.top - (rect.top + rect.bottom - row.height) / 2;
  }, [open, isRead]);
  return (
    <aside aria-label="All extensions" className="sticky top-18 flex max-h-[calc(100dvh-6rem)] flex-col gap-2 self-start max-xl:hidden">
      <SearchField label="Search extensions" placeholder="Search extensions" value={q} onChange={setQ} />
      <ul ref={list} className="relative min-h-0 overflow-y-auto rounded border bg-panel p-1">
        {matching.slice(0, shown).map((extension) => (
          <li key={extension.id}>
            <ListLink
              href={PAGES.extension(extension.id)}
              title={extension.id}
              aria-current={extension.id === open ? 'page' : undefined}
              className={cx(
                'focus-inset flex h-8 items-center gap-2 rounded-sm px-2',
                extension.id === open ? 'bg-accent-soft font-medium' : 'hover:bg-hover',
              )}
            >
              <StateIcon state={extension.state} className="size-3.5" />
              <span className="sr-only">{STATES[extension.state].word}: </span>
              <span className="truncate">{extension.id}</span>
            </ListLink>
          </li>
        ))}
        {shown < matching.length ? <li ref={end} aria-hidden /> : null}
        {matching.length === 0 ? <li className="px-2 py-3 text-center text-muted">No matching extensions</li> : null}
      </ul>
    </aside>
  );
}
