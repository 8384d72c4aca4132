'use client';

import { useMemo, useState } from 'react';
import { agentTool } from '#lib/contract/agent-view.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { tokensInWords } from './agent-size.ts';
import { Choice } from './Choice.tsx';
import { ResultView } from './ResultView.tsx';

const FACES = [
  { id: 'modern', label: 'MCP 2026-07-28' },
  { id: 'legacy', label: 'MCP 2025' },
  { id: 'schema', label: 'Schema' },
] as const;
type Face = (typeof FACES)[number]['id'];

/** A tool as a client of `/mcp` finds it listed, by version of the protocol, made by the code that answers there; and its schema. */
export function DefinitionView({ tool }: { tool: Tool }) {
  const [face, setFace] = useState<Face>('modern');
  const value = useMemo(() => (face === 'schema' ? tool.parameters : agentTool(tool, face === 'modern')), [tool, face]);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Choice label="What is shown of the definition" options={FACES} value={face} onChange={setFace} />
        <span className="tabular text-sm text-muted">{tokensInWords(value)}</span>
      </div>
      {tool.available ? null : <p className="text-sm text-muted">The tool is not available now, so agents are not told of it.</p>}
      <ResultView
        key={face}
        value={value}
        first="text"
        label="Definition"
        copyLabel="Copy the definition"
        fileParts={[tool.name, face === 'schema' ? 'parameters' : 'definition']}
      />
    </div>
  );
}
