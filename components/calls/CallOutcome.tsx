'use client';

import { CircleStop } from 'lucide-react';
import type { CSSProperties } from 'react';
import { PassingButton } from '#components/ui/PassingButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { Duration, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useCancelCall } from '#lib/client/mutations.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { Call } from '#lib/contract/call.ts';
import { CallErrorView } from './CallErrorView.tsx';
import { CallLogView } from './CallLogView.tsx';
import { CallProgress } from './CallProgress.tsx';
import { JsonView } from './JsonView.tsx';
import { AnsiText } from './result/AnsiText.tsx';
import { LazyAgentView, LazyResultView } from './result/LazyResultView.tsx';
import { roomFor } from './result/room.ts';

/** How a call stands or ended, in one line, with Cancel while it runs. */
export function CallStatusLine({ call }: { call: Call }) {
  const mayCancel = useMay('calls.cancel');
  return (
    <div tabIndex={-1} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-sm">
      <StateText state={call.status} />
      <span className="tabular text-sm text-muted">
        {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
      </span>
      {call.status === 'running' && mayCancel ? <CancelButton id={call.id} /> : null}
    </div>
  );
}

export function CancelButton({ id }: { id: string }) {
  const cancel = useCancelCall();
  return (
    <>
      <PassingButton
        heir="[tabindex]"
        size="sm"
        icon={<CircleStop aria-hidden />}
        pending={cancel.isPending}
        onClick={() => cancel.mutate(id)}
      >
        {cancel.isPending ? 'Cancelling…' : 'Cancel'}
      </PassingButton>
      {cancel.isError ? <ProblemLine>{messageOf(cancel.error)}</ProblemLine> : null}
    </>
  );
}

/** What came of a call, while it runs and after: result or error, log, and the record as it is stored. */
export function CallOutcome({ call }: { call: Call }) {
  const failed = call.error !== null;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {call.status === 'running' && call.progress !== null ? <CallProgress progress={call.progress} /> : null}
      <Tabs
        label="Outcome of the call"
        tabs={[
          {
            id: 'result',
            label: failed && call.status !== 'cancelled' ? 'Error' : 'Result',
            content: (
              <div className="pt-3">
                {failed && call.error !== null ? (
                  <CallErrorView error={call.error} fileParts={[call.tool, call.id, 'error']} />
                ) : (
                  <ResultOf call={call} />
                )}
              </div>
            ),
          },
          {
            id: 'logs',
            label: 'Logs',
            note: call.logs.length === 0 ? null : call.logs.length,
            content: (
              <div className="pt-3">
                <CallLogView call={call} />
              </div>
            ),
          },
          {
            id: 'agent',
            label: 'What the agent sees',
            content: (
              <div className="pt-3">
                <LazyAgentView call={call} />
              </div>
            ),
          },
          {
            id: 'raw',
            label: 'Raw',
            content: (
              <div className="pt-3">
                <JsonView value={call} label="The call as it is stored" copyLabel="Copy the call" />
              </div>
            ),
          },
        ]}
      />
    </div>
  );
}

/** Held while the view of the result is being loaded. */
function roomStyle(result: unknown): CSSProperties & { readonly '--room'?: string } {
  const room = roomFor(result);
  return room === null ? {} : { '--room': room };
}

function ResultOf({ call }: { call: Call }) {
  if (call.status === 'running') {
    const [last] = call.logs.slice(-1);
    return (
      <div className="flex flex-col gap-2 px-1 py-6 text-center text-sm text-muted">
        <p>The result appears here as soon as the tool is done. Leaving this page does not stop it.</p>
        {last === undefined ? null : (
          <p className="foreign line-clamp-3 font-mono text-fg">
            <AnsiText text={last.message} />
          </p>
        )}
      </div>
    );
  }
  if (call.result === null) return <p className="px-1 py-6 text-center text-sm text-muted">The tool returned nothing (null).</p>;
  return (
    <div style={roomStyle(call.result)} className="has-[>[role=status]]:min-h-(--room)">
      <LazyResultView value={call.result} label="Result" copyLabel="Copy the result" fileParts={[call.tool, call.id]} />
    </div>
  );
}
