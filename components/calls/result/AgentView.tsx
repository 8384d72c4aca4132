'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Section } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { bytesOf, inThousands } from '#components/ui/numbers.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { agentResult, agentTool } from '#lib/contract/agent-view.ts';
import type { Call } from '#lib/contract/call.ts';
import { REDACTED } from '#lib/contract/secret-names.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { Choice } from './ResultControls.tsx';
import { ResultView } from './ResultView.tsx';

const BYTES_OF_A_TOKEN = 4;

/** Estimate without images and audio, which models count differently. */
export function tokensInWords(value: object): string {
  const content: unknown = 'content' in value ? value.content : null;
  const media = Array.isArray(content) ? content.filter(isMedia) : [];
  const counted = Array.isArray(content) ? { ...value, content: content.filter((part) => !isMedia(part)) } : value;
  const tokens = Math.ceil(bytesOf(JSON.stringify(counted)) / BYTES_OF_A_TOKEN);
  const left = media.length === 0 ? '' : `, without ${media.length} ${media.length === 1 ? 'picture or sound' : 'pictures or sounds'}`;
  return `about ${inThousands(tokens)} tokens${left} (estimated as ${BYTES_OF_A_TOKEN} bytes each)`;
}

function isMedia(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'type' in part && (part.type === 'image' || part.type === 'audio');
}

const PROTOCOLS = [
  { id: 'modern', label: '2026-07-28' },
  { id: 'legacy', label: '2025' },
] as const;

/** Built by the same code that answers `/mcp`. */
export function AgentView({ call }: { call: Call }) {
  const tool = useQuery(queries.tool(call.tool));
  const { data: list } = useQuery(queries.extensions());
  const [protocol, setProtocol] = useState<'modern' | 'legacy'>('modern');
  if (tool.data === undefined || list === undefined) {
    if (tool.error === null) return <Skeleton lines={6} />;
    return (
      <p className="px-1 py-6 text-center text-sm text-muted">
        {hasProblemCode(tool.error, 'tool_not_found') ? 'This tool no longer exists, so agents do not see it.' : messageOf(tool.error)}
      </p>
    );
  }
  const isRemote = list.extensions.some(({ id, runtime }) => id === call.extension && runtime === 'mcp');
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span>Protocol</span>
        <Choice label="Version of the protocol" options={PROTOCOLS} value={protocol} onChange={setProtocol} />
        <span>Without the metadata that Switchboard adds for programs, such as the call ID.</span>
      </div>
      <Seen key={protocol} call={call} tool={tool.data} isRemote={isRemote} isModern={protocol === 'modern'} />
    </div>
  );
}

function Seen({ call, tool, isRemote, isModern }: { call: Call; tool: Tool; isRemote: boolean; isModern: boolean }) {
  const listed = useMemo(() => agentTool(tool, isModern), [tool, isModern]);
  const { result, error, status } = call;
  const hasOutputSchema = tool.output_schema !== null;
  const answered = useMemo(
    () => (status === 'running' ? null : agentResult({ result, error }, { isRemote, hasOutputSchema, isModern })),
    [result, error, status, isRemote, hasOutputSchema, isModern],
  );
  const sizes = useMemo(
    () => ({ listed: tokensInWords(listed), answered: answered === null ? null : tokensInWords(answered) }),
    [listed, answered],
  );
  const isRedacted = useMemo(() => JSON.stringify(answered ?? null).includes(REDACTED), [answered]);
  return (
    <>
      <Section title="Response" note={sizes.answered ?? undefined}>
        {answered === null ? (
          <p className="text-sm text-muted">The call is still running.</p>
        ) : (
          <>
            {isRedacted ? (
              <p role="note" className="text-sm text-muted">
                Secrets are not stored, so <code>{REDACTED}</code> replaces values that the agent received.
              </p>
            ) : null}
            <ResultView
              value={answered}
              first="text"
              label="Answer to the agent"
              copyLabel="Copy the answer"
              fileParts={[call.tool, call.id, 'answer']}
            />
          </>
        )}
      </Section>
      <Section title="Listed tool" note={sizes.listed}>
        {call.revision === null || call.revision === tool.revision ? null : (
          <p className="text-sm text-muted">
            This is revision {tool.revision}, which serves now; the call ran on {call.revision}.
          </p>
        )}
        {tool.available ? null : <p className="text-sm text-muted">The tool is unavailable, so agents do not see it.</p>}
        <ResultView
          value={listed}
          first="text"
          label="Tool as listed"
          copyLabel="Copy the definition"
          fileParts={[call.tool, 'definition']}
        />
      </Section>
    </>
  );
}

const FACES = [
  { id: 'modern', label: 'MCP 2026-07-28' },
  { id: 'legacy', label: 'MCP 2025' },
  { id: 'schema', label: 'Schema' },
] as const;
type Face = (typeof FACES)[number]['id'];

/** Built by the same code that answers `/mcp`. */
export function DefinitionView({ tool }: { tool: Tool }) {
  const [face, setFace] = useState<Face>('modern');
  const value = useMemo(() => (face === 'schema' ? tool.parameters : agentTool(tool, face === 'modern')), [tool, face]);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Choice label="Parts of the definition" options={FACES} value={face} onChange={setFace} />
        <span className="tabular text-sm text-muted">{tokensInWords(value)}</span>
      </div>
      {tool.available ? null : <p className="text-sm text-muted">The tool is unavailable, so agents do not see it.</p>}
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
