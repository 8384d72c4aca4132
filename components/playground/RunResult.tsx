'use client';

import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import Link from 'next/link';
import { CallOutcome, CallStatusLine } from '#components/calls/CallOutcome.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { lazyInBrowser } from '#components/ui/lazy-part.tsx';
import { STATES } from '#components/ui/Badge.tsx';
import { durationInWords } from '#components/ui/times.ts';
import { hasProblemCode } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { appOf } from '#lib/contract/mcp-apps.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { PAGES } from '#lib/contract/paths.ts';

const CallQuestions = lazyInBrowser(() => import('./CallQuestions.tsx').then((module) => module.CallQuestions), <Skeleton lines={3} />);

const AppFrame = lazyInBrowser(() => import('./AppFrame.tsx').then((module) => module.AppFrame), <Skeleton lines={4} />);

export function RunResult({ id }: { id: string }) {
  const { data: call, error, refetch, isFetching } = useQuery(queries.call(id));
  if (call === undefined) {
    return (
      <Panel title="Result">
        {hasProblemCode(error, 'call_not_found') ? (
          <p className="py-6 text-center text-sm text-muted">The last run is no longer in the history.</p>
        ) : (
          <QueryState query={{ error, refetch, isFetching }} what="the call" lines={4} />
        )}
      </Panel>
    );
  }
  return (
    <Panel
      title="Result"
      actions={
        <Link
          href={PAGES.call(call.id)}
          className="inline-flex items-center gap-1 rounded-sm text-sm text-muted hover:text-fg hover:underline"
        >
          Open call <ExternalLink className="size-3.5" />
        </Link>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <CallStatusLine call={call} />
        <p role="status" className="sr-only">
          {inWords(call)}
        </p>
        {(call.questions ?? []).length === 0 ? null : <CallQuestions call={call} />}
        {call.error?.kind !== 'invalid_parameters' ? <AppOf key={`app ${call.id}`} call={call} /> : null}
        <CallOutcome key={call.id} call={call} />
      </div>
    </Panel>
  );
}

function inWords(call: Call): string {
  const { word } = STATES[call.status];
  if (call.status === 'running') return `${call.tool} is running`;
  return `${call.tool}: ${word}${call.duration_ms === null ? '' : ` after ${durationInWords(call.duration_ms)}`}${call.error === null ? '' : `. ${call.error.message}`}`;
}

/** Before the first run of a tool that may have an app. */
export function AppHint({ meta, otherwise }: { meta: Tool['meta']; otherwise: string }) {
  return appOf(meta).uri === null ? otherwise : 'Run the tool to see its app and result.';
}

/** The app of the tool, if it has one. As in other clients it is shown while the call runs. */
function AppOf({ call }: { call: Call }) {
  const { data: tool } = useQuery(queries.tool(call.tool));
  const uri = tool === undefined ? null : appOf(tool.meta).uri;
  return tool === undefined || uri === null ? null : <AppFrame call={call} tool={tool} uri={uri} />;
}
