'use client';

import { useQuery } from '@tanstack/react-query';
import { TriangleAlert, Unplug } from 'lucide-react';
import { useState } from 'react';
import { LazyDefinitionView } from '#components/calls/result/LazyResultView.tsx';
import { hintsOf } from '#components/tools/tool-words.ts';
import { Badge } from '#components/ui/Badge.tsx';
import { ServerIcon } from '#components/ui/ServerIcon.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { LongText } from '#components/ui/LongText.tsx';
import { Tooltip } from '#components/ui/Tooltip.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';

export function ToolHead({ tool }: { tool: Tool }) {
  return (
    <header className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex min-w-0 items-center gap-2 text-xl font-semibold break-all">
          <ServerIcon icons={tool.icons} className="size-6" />
          {tool.name}
        </h1>
        <Badge>{tool.label}</Badge>
        {hintsOf(tool.annotations).map((hint) => (
          <Tooltip key={hint.word} text={hint.means}>
            <button type="button" aria-label={`${hint.word}. ${hint.means}`} className="inline-flex cursor-default rounded-sm">
              <Badge {...(hint.danger ? { tone: 'degraded' as const, icon: <TriangleAlert aria-hidden /> } : {})}>{hint.word}</Badge>
            </button>
          </Tooltip>
        ))}
      </div>
      {tool.description.trim() === '' ? <p className="text-muted italic">No description.</p> : <LongText text={tool.description} />}
      <p className="tabular text-sm text-muted">
        From{' '}
        <ListLink href={PAGES.extension(tool.extension)} className="rounded-sm font-medium text-fg underline underline-offset-2">
          {tool.extension}
        </ListLink>
        , revision {tool.revision}
      </p>
      {tool.available ? <NewerFailed tool={tool} /> : null}
      {tool.available ? null : (
        <div role="note" className="flex gap-2 rounded border border-failed/40 bg-failed-soft px-3 py-2">
          <Unplug aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
          <p className="foreign min-w-0">
            <span className="font-medium text-failed">Unavailable.</span> {tool.unavailable_reason ?? 'Its extension is not serving it.'}
          </p>
        </div>
      )}
      {tool.warnings.length === 0 ? null : (
        <details className="rounded border bg-panel text-sm">
          <summary className="focus-inset flex items-center gap-2 rounded px-3 py-1.5 text-degraded">
            <TriangleAlert aria-hidden className="size-4 shrink-0" />
            {tool.warnings.length === 1 ? '1 warning' : `${tool.warnings.length} warnings`} for the author
          </summary>
          <ul className="flex list-disc flex-col gap-1 border-t py-2 pr-3 pl-8">
            {tool.warnings.map((warning) => (
              <li key={warning} className="foreign">
                {warning}
              </li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

function NewerFailed({ tool }: { tool: Tool }) {
  const { data } = useQuery(queries.extensions());
  const extension = data?.extensions.find((each) => each.id === tool.extension);
  if (extension?.state !== 'degraded') return null;
  return (
    <p role="note" className="flex gap-2 rounded border border-degraded/40 bg-degraded-soft px-3 py-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
      <span className="foreign min-w-0">
        Revision {extension.revision ?? '–'} failed; revision {extension.serving_revision ?? '–'} keeps serving.{' '}
        <ListLink href={PAGES.extension(extension.id)} className="rounded-sm font-medium underline underline-offset-2">
          See why
        </ListLink>
      </span>
    </p>
  );
}

export function ToolDefinition({ tool }: { tool: Tool }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="min-w-0 rounded border bg-panel text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="focus-inset cursor-pointer rounded px-3 py-1.5">
        Definition <span className="text-muted">· what the agent sees, and the schema</span>
      </summary>
      {open ? (
        <div className="min-w-0 border-t p-3">
          <LazyDefinitionView tool={tool} />
        </div>
      ) : null}
    </details>
  );
}
