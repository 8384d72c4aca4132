'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { SearchX, Unplug, Wrench } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { type KeyboardEvent, memo, useMemo, useRef } from 'react';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { CodeInText } from '#components/ui/CodeText.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { ServerIcon } from '#components/ui/icons.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { SearchField, useSearchText } from '#components/ui/SearchField.tsx';
import { cx } from '#components/ui/cx.ts';
import { type VisibleRow, focusNextRow, useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { type ToolGroup, groupTools, searchGroups } from './tool-words.ts';

const GROUPINGS = ['extension', 'label'] as const;

/** A heading, which is in place 0 of its group, or a tool. */
interface Line {
  readonly id: string;
  readonly group: ToolGroup;
  readonly place: number;
  readonly tool: ListedTool | null;
}

function linesOf(groups: readonly ToolGroup[]): readonly Line[] {
  return groups.flatMap((group): readonly Line[] => [
    { id: `group ${group.name}`, group, place: 0, tool: null },
    ...group.tools.map((tool, at) => ({ id: idOf(tool.name), group, place: at + 1, tool })),
  ]);
}

function idOf(tool: string): string {
  return `tool ${tool}`;
}

type Row = VisibleRow<Line>;
type Heading = Extract<Row, { readonly index: number }>;
type Section = (Heading & { readonly tools: Row[] }) | Exclude<Row, Heading>;

/** Rows below their headings; space before a heading is between the sections. */
function sectionsOf(rows: readonly Row[]): readonly Section[] {
  const sections: Section[] = [];
  let tools: Row[] = [];
  for (const [at, row] of rows.entries()) {
    if ((row.item ?? rows[at + 1]?.item)?.tool) tools.push(row);
    else if (row.item === null) sections.push(row);
    else {
      tools = [];
      sections.push({ ...row, tools });
    }
  }
  return sections;
}

/** Each row has its own border, so that heights of rows add up to the height of the list. */
function borderOf({ place, group }: Line): string {
  return cx('overflow-hidden border-x border-b bg-panel', place === 1 && 'rounded-t border-t', place === group.tools.length && 'rounded-b');
}

export function ToolList({ open = null }: { open?: string | null }) {
  const { data, error, refetch, isFetching } = useQuery(queries.tools());
  const [q, setQ] = useSearchText('q');
  const [group, setGroup] = useQueryState('group', parseAsStringLiteral(GROUPINGS).withDefault('extension'));
  const root = useRef<HTMLDivElement>(null);
  const compact = open !== null;
  const tools = data?.tools;
  const groups = useMemo(() => groupTools(tools ?? [], group), [tools, group]);
  const lines = useMemo(() => linesOf(searchGroups(groups, q)), [groups, q]);
  const { list, rows } = useVisibleRows<HTMLDivElement, Line>({
    name: compact ? 'tools beside one' : 'tools',
    items: lines,
    height: compact ? 32 : 60,
    needed: open === null ? null : idOf(open),
    headingOf: (index) => index - (lines[index]?.place ?? 0),
  });
  usePageKeys(compact ? {} : { j: () => focusNextRow(list.current, 1), k: () => focusNextRow(list.current, -1) });

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
          label="Search tools"
          placeholder="Search tools"
          value={q}
          onChange={setQ}
          className={compact ? '' : 'min-w-0 flex-1 basis-56'}
        />
        <FilterChips
          label="Group by"
          options={[
            { value: 'extension', label: 'By extension' },
            { value: 'label', label: 'By label' },
          ]}
          value={group}
          onChange={(value) => void setGroup(value ?? group)}
        />
      </div>
      <p role="status" className="sr-only">
        {q === '' ? '' : `${lines.filter(({ place }) => place > 0).length} tools found`}
      </p>
      {lines.length === 0 ? (
        <EmptyState
          title="No matching tools"
          icon={<SearchX />}
          actions={<Button onClick={() => setQ('')}>Show all {data.tools.length}</Button>}
        >
          No tool has “{q}” in its name, label, extension or description.
        </EmptyState>
      ) : (
        <div ref={list} className={compact ? '' : '-mt-3'}>
          {sectionsOf(rows).map((section) =>
            section.item === null ? (
              <div key={section.key} style={{ height: section.height }} />
            ) : (
              <section key={section.item.id} className="min-w-0">
                <h2
                  {...section.props}
                  className={cx(
                    'flex items-baseline gap-2 pt-3 pb-1 text-xs font-medium text-muted',
                    compact ? 'px-2' : 'sticky top-13 z-10 bg-canvas px-4 low:top-0',
                  )}
                >
                  <span className="truncate">{section.item.group.name}</span>
                  <span className="tabular">{section.item.group.tools.length}</span>
                </h2>
                <ul>
                  {section.tools.map((row) =>
                    row.item === null ? (
                      <li key={row.key} aria-hidden style={{ height: row.height }} />
                    ) : (
                      <li
                        key={row.item.id}
                        {...row.props}
                        aria-posinset={row.item.place}
                        aria-setsize={row.item.group.tools.length}
                        className={compact ? '' : borderOf(row.item)}
                      >
                        {row.item.tool === null ? null : compact ? (
                          <CompactTool tool={row.item.tool} open={row.item.tool.name === open} search={search} />
                        ) : (
                          <WideTool tool={row.item.tool} search={search} group={row.item.group.name} />
                        )}
                      </li>
                    ),
                  )}
                </ul>
              </section>
            ),
          )}
        </div>
      )}
    </div>
  );
}

function NoTools() {
  return (
    <EmptyState
      title="No tools yet"
      icon={<Wrench />}
      actions={
        <LinkButton link={ListLink} href={PAGES.extensions}>
          Show extensions
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

const WideTool = memo(function WideTool({ tool, search, group }: { tool: ListedTool; search: string; group: string }) {
  return (
    <ListLink
      href={hrefOf(tool, search)}
      data-tool
      className="focus-inset flex min-w-0 scroll-mt-6 flex-col gap-1 px-4 py-2 hover:bg-hover"
    >
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
});
