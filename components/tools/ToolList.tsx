'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { SearchX, Unplug, Wrench } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type KeyboardEvent, useRef } from 'react';
import { LinkButton } from '#components/ui/Button.tsx';
import { CodeInText } from '#components/ui/CodeText.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { ServerIcon } from '#components/ui/icons.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { cx } from '#components/ui/cx.ts';
import { useRowsInSteps } from '#components/ui/use-rows-in-steps.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { groupTools } from './tool-words.ts';

const GROUPINGS = ['extension', 'label'] as const;

export function ToolList({ open = null }: { open?: string | null }) {
  const { data, error, refetch, isFetching } = useQuery(queries.tools());
  const [{ q, group }, setQuery] = useQueryStates(
    { q: parseAsString.withDefault(''), group: parseAsStringLiteral(GROUPINGS).withDefault('extension') },
    { history: 'replace' },
  );
  const root = useRef<HTMLDivElement>(null);
  const groups = groupTools(data?.tools ?? [], group, q);
  const found = groups.flatMap(({ tools }) => tools);
  const { shown, end } = useRowsInSteps<HTMLDivElement>(found.length, found.findIndex(({ name }) => name === open) + 1);
  const compact = open !== null;

  function move(event: KeyboardEvent) {
    const key = pressedKey(event);
    if (key !== 'ArrowDown' && key !== 'ArrowUp' && key !== 'Home' && key !== 'End') return;
    const links = [...(root.current?.querySelectorAll<HTMLAnchorElement>('a[data-tool]') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    const inSearch = at === -1;
    if (inSearch && (key === 'Home' || key === 'End')) return;
    event.preventDefault();
    if (key === 'ArrowUp' && at <= 0) {
      root.current?.querySelector('input')?.focus();
      return;
    }
    const to = key === 'Home' ? 0 : key === 'End' ? links.length - 1 : at + (key === 'ArrowDown' ? 1 : -1);
    links[Math.min(to, links.length - 1)]?.focus();
  }

  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the tools" lines={6} />;
  if (data.tools.length === 0) return <NoTools />;
  const search = new URLSearchParams({ ...(q === '' ? {} : { q }), ...(group === 'extension' ? {} : { group }) }).toString();
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the links and the field inside handle the keys
    <div ref={root} onKeyDown={move} className="flex min-w-0 flex-col gap-3">
      <div
        data-list-head={compact ? '' : undefined}
        className={cx('flex gap-2', compact ? 'sticky top-0 z-10 -mx-2 flex-col bg-canvas px-2 py-1' : 'flex-wrap items-center')}
      >
        <SearchField
          label="Search the tools"
          placeholder="Search the tools"
          value={q}
          onChange={(value) => void setQuery({ q: value === '' ? null : value })}
          className={compact ? '' : 'min-w-0 flex-1 basis-56'}
        />
        <FilterChips
          label="Group by"
          options={[
            { value: 'extension', label: 'By extension' },
            { value: 'label', label: 'By label' },
          ]}
          value={group}
          onChange={(value) => void setQuery({ group: value ?? group })}
        />
      </div>
      <p role="status" className="sr-only">
        {q === '' ? '' : `${found.length} tools found`}
      </p>
      {groups.length === 0 ? (
        <EmptyState title={`No tools match “${q}”`} icon={<SearchX />}>
          Search covers names, labels, extensions and descriptions.
        </EmptyState>
      ) : (
        firstOf(groups, shown).map((each) => (
          <section key={each.name} className="min-w-0">
            <h2 className="flex items-baseline gap-2 px-2 pb-1 text-xs font-medium text-muted">
              <span className="truncate">{each.name}</span>
              <span className="tabular">{each.count}</span>
            </h2>
            <ul className={compact ? 'flex flex-col' : 'divide-y overflow-hidden rounded border bg-panel'}>
              {each.tools.map((tool) => (
                <li key={tool.name}>
                  {compact ? (
                    <CompactTool tool={tool} open={tool.name === open} search={search} />
                  ) : (
                    <WideTool tool={tool} search={search} group={each.name} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
      <div ref={end} />
    </div>
  );
}

/** The first tools across all groups. */
function firstOf<Group extends { readonly tools: readonly ListedTool[] }>(groups: readonly Group[], max: number) {
  let left = max;
  return groups.flatMap((group) => {
    const tools = group.tools.slice(0, left);
    left -= tools.length;
    return tools.length === 0 ? [] : [{ ...group, tools, count: group.tools.length }];
  });
}

function NoTools() {
  return (
    <EmptyState
      title="No tools yet"
      icon={<Wrench />}
      actions={
        <LinkButton link={ListLink} href={PAGES.extensions}>
          Show the extensions
        </LinkButton>
      }
    >
      Put a folder with an <code>extension.ts</code> that exports <code>TOOLS</code> in the extensions folder, or fix an extension that
      failed.
    </EmptyState>
  );
}

function hrefOf(tool: ListedTool, search: string): string {
  return `${PAGES.tool(tool.name)}${search === '' ? '' : `?${search}`}`;
}

function CompactTool({ tool, open, search }: { tool: ListedTool; open: boolean; search: string }) {
  return (
    <ListLink
      href={hrefOf(tool, search)}
      data-tool
      aria-current={open ? 'page' : undefined}
      title={tool.available ? tool.name : `${tool.name}: ${tool.unavailable_reason ?? 'unavailable'}`}
      className={cx(
        'focus-inset flex min-h-8 min-w-0 items-center gap-2 rounded px-2 py-1 hover:bg-hover',
        open && 'bg-accent-soft font-medium',
      )}
    >
      <span className={cx('truncate', !tool.available && 'text-muted')}>{tool.name}</span>
      {tool.available ? null : (
        <span className="ml-auto inline-flex shrink-0 items-center gap-1 text-xs text-failed">
          <Unplug className="size-3" /> unavailable
        </span>
      )}
    </ListLink>
  );
}

function WideTool({ tool, search, group }: { tool: ListedTool; search: string; group: string }) {
  return (
    <ListLink href={hrefOf(tool, search)} data-tool className="focus-inset flex min-w-0 flex-col gap-1 px-4 py-2 hover:bg-hover">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3">
        <span className="flex min-w-0 items-center gap-2 font-medium [overflow-wrap:anywhere]">
          <ServerIcon icons={tool.icons} />
          {tool.name}
        </span>
        {tool.label.toLowerCase() === group.toLowerCase() ? null : <span className="text-xs text-muted">{tool.label}</span>}
        {tool.available ? null : (
          <span className="inline-flex items-center gap-1 text-xs font-medium text-failed">
            <Unplug className="size-3" /> Unavailable
          </span>
        )}
      </span>
      <span className="line-clamp-2 text-sm break-words text-muted">
        <CodeInText text={tool.available ? tool.description : (tool.unavailable_reason ?? tool.description)} />
      </span>
    </ListLink>
  );
}
