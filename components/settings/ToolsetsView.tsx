'use client';

import { useQuery } from '@tanstack/react-query';
import { Layers, Plus, TriangleAlert } from 'lucide-react';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { ReadOnlyNote } from '#components/ui/Note.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { useDraftKeys } from '#components/ui/text-drafts.ts';
import { toolsetsQuery } from '#lib/client/toolset-queries.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import { toolsetPath } from '#lib/contract/paths.ts';
import type { Toolset } from '#lib/contract/toolset.ts';

const ToolsetEditor = lazyPart(async () => (await import('./ToolsetEditor.tsx')).ToolsetEditor);

const PREFIX = 'toolset:';

export function ToolsetsView() {
  const { data, error, refetch, isFetching } = useQuery(toolsetsQuery());
  const mayNot = useMayNot('toolsets.write');
  const [open, setOpen] = useQueryState('toolset', parseAsString.withOptions({ history: 'push' }));
  /** List and editor replace each other; whichever appears gets the focus. */
  const [hasMoved, setMoved] = useState(false);
  const before = useRef(open);
  const list = useRef<HTMLDivElement>(null);
  const unsaved = useDraftKeys(PREFIX);

  useEffect(() => {
    const closed = before.current;
    before.current = open;
    if (open !== null || closed === null) return;
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('[data-opens]') ?? [])];
    buttons.find(({ dataset }) => dataset['opens'] === closed)?.focus({ preventScroll: true });
  }, [open]);

  function show(name: string | null) {
    setMoved(true);
    void setOpen(name);
  }

  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the toolsets" lines={5} />;
  const shown = data.toolsets.find(({ name }) => name === open) ?? null;
  if (open !== null && (open === '' || shown !== null) && mayNot === null)
    return (
      <ToolsetEditor
        key={open}
        toolset={shown}
        taken={data.toolsets.map(({ name }) => name)}
        takesFocus={hasMoved}
        prefix={PREFIX}
        onClose={() => show(null)}
      />
    );
  return (
    <div ref={list} className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Toolsets"
        note="Tools selected for agents, each set with its own MCP address."
        actions={
          mayNot === null ? (
            <Button variant="primary" icon={<Plus />} data-opens="" onClick={() => show('')}>
              New toolset
              {unsaved.has('') ? <span className="font-normal"> · unsaved</span> : null}
            </Button>
          ) : undefined
        }
      />
      {mayNot === null ? null : <ReadOnlyNote>{mayNot}</ReadOnlyNote>}
      {open === null || open === '' || shown !== null ? null : (
        <ProblemLine>
          Toolset “<bdi>{open}</bdi>” not found
        </ProblemLine>
      )}
      <div className="min-w-0 rounded border bg-panel">
        {data.toolsets.length === 0 ? (
          <EmptyState title="No toolsets yet" icon={<Layers />} className="py-8">
            Choose the tools for one purpose, so that an agent reads only their descriptions.
          </EmptyState>
        ) : (
          <ul aria-label="Toolsets" className="divide-y">
            {data.toolsets.map((toolset) => (
              <ToolsetRow
                key={toolset.name}
                toolset={toolset}
                isUnsaved={unsaved.has(toolset.name)}
                onEdit={mayNot === null ? () => show(toolset.name) : null}
              />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function ToolsetRow({ toolset, isUnsaved, onEdit }: { toolset: Toolset; isUnsaved: boolean; onEdit: (() => void) | null }) {
  const { name, title, tools, members, missing } = toolset;
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="min-w-0 truncate font-medium">{title === '' ? name : title}</span>
          <span className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 truncate text-xs text-muted">{toolsetPath(name)}</code>
            <CopyButton
              text={() => `${window.location.origin}${toolsetPath(name)}`}
              label={`Copy the address of ${name}`}
              className="size-6"
            />
          </span>
        </span>
        <span className="tabular text-sm text-muted">
          {tools.length === 1 ? '1 tool' : `${tools.length} tools`} · about {toolset.estimated_tokens.toLocaleString('en')} tokens ·{' '}
          {members === null ? '' : `for ${members.length === 1 ? '1 member' : `${members.length} members`} · `}changed{' '}
          <RelativeTime time={toolset.updated_at} />
          {isUnsaved ? ' · unsaved changes' : ''}
        </span>
        {missing.length === 0 ? null : (
          <span className="flex min-w-0 items-start gap-2 text-sm text-degraded">
            <TriangleAlert className="h-lh w-3.5 shrink-0" />
            <span className="min-w-0 break-words">Missing: {missing.join(', ')}</span>
          </span>
        )}
      </div>
      {onEdit === null ? null : (
        <Button size="sm" data-opens={name} onClick={onEdit}>
          Edit<span className="sr-only"> {name}</span>
        </Button>
      )}
    </li>
  );
}
