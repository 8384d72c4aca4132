'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { IdText } from '#components/ui/IdText.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Facts, Panel, Section } from '#components/ui/Panel.tsx';
import { Duration, ExactTime, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { jsonText, SOURCE_WORDS } from './call-words.ts';
import { CallActions } from './CallActions.tsx';
import { CallNeighbours } from './CallNeighbours.tsx';
import { CallOutcome, CallStatusLine } from './CallOutcome.tsx';
import type { CallPreview } from './call-preview.ts';
import { PendingResult } from './PendingResult.tsx';
import { ReplayChain, ReplaysOf } from './ReplayChain.tsx';

export interface CallDetailProps {
  id: string;
  inPanel?: boolean;
  /** Shown until the whole call is there. */
  preview?: CallPreview | null;
}

/** One call: what was asked, what came of it, on what it ran, and what can be done with it. */
export function CallDetail({ id, inPanel = false, preview = null }: CallDetailProps) {
  const { data: whole, error, refetch, isFetching } = useQuery(queries.call(id));
  const call = whole ?? preview?.call;
  if (call === undefined) {
    if (error === null) return <Skeleton lines={8} label="Reading the call…" />;
    if (hasProblemCode(error, 'call_not_found')) return <p className="py-6 text-center text-muted">There is no call with this id.</p>;
    return <ErrorState title="The call could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />;
  }
  const redacted =
    call.redacted.length === 0 ? null : `${call.redacted.length} ${call.redacted.length === 1 ? 'value' : 'values'} redacted`;
  const args = <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel="Copy the arguments" wrap />;
  if (inPanel) {
    return (
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex min-w-0 flex-col gap-1">
          <h2 className="pr-8 text-lg font-semibold break-all">
            <Link href={PAGES.call(call.id)} className="rounded-sm hover:underline">
              {call.tool}
            </Link>
          </h2>
          <CallStatusLine call={call} />
        </div>
        <CallActions call={call} />
        <Section title="Arguments" {...(redacted === null ? {} : { note: redacted })}>
          {args}
        </Section>
        <CallOutcome key={call.id} call={call} />
        <CallFacts call={call} />
      </div>
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <PageHead
        title={
          <Link href={PAGES.tool(call.tool)} className="rounded-sm hover:underline">
            {call.tool}
          </Link>
        }
        badge={<CallNeighbours call={call} />}
        note={<CallStatusLine call={call} />}
        actions={<CallActions call={call} isWhole={whole !== undefined} />}
      />
      <div className="grid min-w-0 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Arguments" {...(redacted === null ? {} : { note: redacted })}>
            {args}
          </Panel>
          <Panel title="Outcome">
            {/* As high while a large result loads and is prepared as when it is there. */}
            <div className={preview === null ? undefined : 'min-h-[calc(60dvh+10rem)]'}>
              {whole === undefined && preview !== null ? (
                <PendingResult bytes={preview.resultBytes} error={error} retrying={isFetching} onRetry={() => void refetch()} />
              ) : (
                <CallOutcome key={call.id} call={call} />
              )}
            </div>
          </Panel>
        </div>
        <Panel title="About this call">
          <CallFacts call={call} />
        </Panel>
      </div>
    </div>
  );
}

function CallFacts({ call }: { call: Call }) {
  const facts = [
    {
      name: 'Started',
      value: (
        <>
          <RelativeTime time={call.started_at} />
          <span className="block text-xs text-muted">
            <ExactTime time={call.started_at} />
          </span>
        </>
      ),
    },
    {
      name: call.status === 'running' ? 'Running for' : 'Took',
      value: call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />,
    },
    { name: 'From', value: SOURCE_WORDS[call.source] },
    { name: 'Actor', value: call.actor ?? <span className="text-muted">nobody said</span> },
    {
      name: 'Extension',
      value: (
        <Link href={PAGES.extension(call.extension)} className="rounded-sm underline underline-offset-2">
          {call.extension}
        </Link>
      ),
    },
    { name: 'Revision', value: call.revision ?? '–' },
    {
      name: 'Snapshot',
      value: (
        <Link href={PAGES.version(call.snapshot_version)} className="rounded-sm underline underline-offset-2">
          v{call.snapshot_version}
        </Link>
      ),
    },
    { name: 'Id', value: <IdText id={call.id} /> },
  ];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Facts items={facts} />
      {call.replay_of === null ? null : (
        <Section title="Replay of">
          <ReplayChain id={call.replay_of} />
        </Section>
      )}
      <ReplaysOf id={call.id} />
    </div>
  );
}
