'use client';

import { useState } from 'react';
import type { Tool } from '#lib/contract/tool.ts';
import { LazyDefinitionView } from './result/LazyResultView.tsx';

/** What agents are told of a tool, and its schema: there before anything was run, and loaded when it is opened. */
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
