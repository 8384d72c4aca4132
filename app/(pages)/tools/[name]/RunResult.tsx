'use client';

import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import Link from 'next/link';
import { CallOutcome, CallStatusLine } from '#components/calls/CallOutcome.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { STATES } from '#components/ui/states.ts';
import { durationInWords } from '#components/ui/times.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** What came of the run that is in front of the person, from its start on. */
export function RunResult({ id }: { id: string | null }) {
  if (id === null) {
    return (
      <Panel title="Result">
        <p className="py-6 text-center text-sm text-muted">
          Nothing has been run here yet. The result, its log and its progress appear in this place.
        </p>
      </Panel>
    );
  }
  return <ShownCall id={id} />;
}

function ShownCall({ id }: { id: string }) {
  const { data: call, error, refetch, isFetching } = useQuery(queries.call(id));
  if (call === undefined) {
    return (
      <Panel title="Result">
        {error === null ? (
          <Skeleton lines={4} label="Reading the call…" />
        ) : hasProblemCode(error, 'call_not_found') ? (
          <p className="py-6 text-center text-sm text-muted">The last run is no longer in the history.</p>
        ) : (
          <ErrorState title="The call could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
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
          Open the call <ExternalLink aria-hidden className="size-3.5" />
        </Link>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <CallStatusLine call={call} />
        <p role="status" className="sr-only">
          {inWords(call)}
        </p>
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
