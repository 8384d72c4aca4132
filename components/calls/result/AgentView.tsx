'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Section } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { agentResult, agentTool } from '#lib/contract/agent-view.ts';
import type { Call } from '#lib/contract/call.ts';
import { REDACTED } from '#lib/contract/secret-names.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { tokensInWords } from './agent-size.ts';
import { Choice } from './Choice.tsx';
import { ResultView } from './ResultView.tsx';

const PROTOCOLS = [
  { id: 'modern', label: '2026-07-28' },
  { id: 'legacy', label: '2025' },
] as const;

/** The tool and the end of this call as a client of `/mcp` is given them, made by the code that answers there. */
export function AgentView({ call }: { call: Call }) {
  const tool = useQuery(queries.tool(call.tool));
  const { data: list } = useQuery(queries.extensions());
  const [protocol, setProtocol] = useState<'modern' | 'legacy'>('modern');
  if (tool.data === undefined || list === undefined) {
    if (tool.error === null) return <Skeleton lines={6} label="Reading the tool…" />;
    return (
      <p className="px-1 py-6 text-center text-sm text-muted">
        {hasProblemCode(tool.error, 'tool_not_found')
          ? 'There is no tool of this name any more, so agents are not told of it.'
          : messageOf(tool.error)}
      </p>
    );
  }
  const isRemote = list.extensions.some(({ id, runtime }) => id === call.extension && runtime === 'mcp');
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span>Protocol</span>
        <Choice label="Version of the protocol" options={PROTOCOLS} value={protocol} onChange={setProtocol} />
        <span>What this server adds for programs, such as the id of the call, is left out.</span>
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
      <Section title="What it was answered" {...(sizes.answered === null ? {} : { note: sizes.answered })}>
        {answered === null ? (
          <p className="text-sm text-muted">The call still runs.</p>
        ) : (
          <>
            {isRedacted ? (
              <p role="note" className="text-sm text-muted">
                Secrets are not kept, so <code>{REDACTED}</code> stands here where the agent was given the value itself.
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
      <Section title="The tool as it is listed" note={sizes.listed}>
        {call.revision === null || call.revision === tool.revision ? null : (
          <p className="text-sm text-muted">
            This is revision {tool.revision}, which serves now; the call ran on {call.revision}.
          </p>
        )}
        {tool.available ? null : <p className="text-sm text-muted">The tool is not available now, so agents are not told of it.</p>}
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
