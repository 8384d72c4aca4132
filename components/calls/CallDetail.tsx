'use client';

import { ErrorState, QueryState } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { Kbd } from '#components/ui/Kbd.tsx';
import { Facts, PageHead, Panel, Section } from '#components/ui/Panel.tsx';
import { Duration, ExactTime, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { Spinner } from '#components/ui/Button.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { sizeInWords } from '#components/ui/numbers.ts';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { type Step, neighbourOf } from '#lib/client/call-neighbours.ts';
import { trackLocation } from '#lib/client/pending-navigation.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { CallActions } from './CallActions.tsx';
import { CallOutcome, CallStatusLine } from './CallOutcome.tsx';
import type { CallPreview } from './call-words.ts';
import { SOURCE_WORDS, jsonText } from './call-words.ts';

interface CallDetailProps {
  id: string;
  inPanel?: boolean;
  preview?: CallPreview | null;
}

export function CallDetail({ id, inPanel = false, preview = null }: CallDetailProps) {
  const { data: whole, error, refetch, isFetching } = useQuery(queries.call(id));
  const call = whole ?? preview?.call;
  if (call === undefined) {
    if (hasProblemCode(error, 'call_not_found')) return <p className="py-6 text-center text-muted">Call not found</p>;
    return <QueryState query={{ error, refetch, isFetching }} what="the call" lines={8} />;
  }
  const redacted =
    call.redacted.length === 0 ? null : `${call.redacted.length} ${call.redacted.length === 1 ? 'value' : 'values'} redacted`;
  const args = <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel="Copy the arguments" wrap />;
  if (inPanel) {
    return (
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex min-w-0 flex-col gap-1">
          <h2 className="pr-8 text-lg font-semibold [overflow-wrap:anywhere]">
            <Link href={PAGES.call(call.id)} className="rounded-sm hover:underline">
              {call.tool}
            </Link>
          </h2>
          <CallStatusLine call={call} />
        </div>
        <CallActions call={call} />
        <Section title="Arguments" note={redacted ?? undefined}>
          {args}
        </Section>
        <CallOutcome key={call.id} call={call} />
        <CallFacts call={call} />
      </div>
    );
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title={
          <Link href={PAGES.tool(call.tool)} className="rounded-sm hover:underline">
            {call.tool}
          </Link>
        }
        badge={<CallNeighbours call={call} />}
        note={<CallStatusLine call={call} />}
        actions={<CallActions call={call} isComplete={whole !== undefined} />}
      />
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Arguments" note={redacted ?? undefined}>
            {args}
          </Panel>
          <Panel title="Outcome">
            {/* Reserves the height of a large result while it loads. */}
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
  const isShared = useIsShared();
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
      name: call.status === 'running' ? 'Running for' : 'Duration',
      value: call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />,
    },
    { name: 'Source', value: SOURCE_WORDS[call.source] },
    { name: 'Actor', value: call.actor ?? <span className="text-muted">unknown</span> },
    {
      name: 'Extension',
      value: (
        <Link href={PAGES.extension(call.extension)} className="link">
          {call.extension}
        </Link>
      ),
    },
    { name: 'Revision', value: call.revision ?? '–' },
    {
      name: 'Snapshot',
      value: (
        <Link href={PAGES.version(call.snapshot_version)} className="link">
          v{call.snapshot_version}
        </Link>
      ),
    },
    call.instance === null || !isShared
      ? null
      : {
          name: 'Instance',
          value: (
            <Link href={PAGES.callsOfInstance(call.instance)} className="link break-all">
              <code>{call.instance}</code>
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

const NONE: Record<Step, string> = { newer: 'No newer call', older: 'This is the oldest call' };

function CallNeighbours({ call }: { call: Pick<Call, 'id' | 'started_at'> }) {
  const client = useQueryClient();
  const router = useRouter();
  const [notice, setNotice] = useState<{ readonly id: string; readonly words: string } | null>(null);

  function go(step: Step) {
    const isStillHere = trackLocation();
    neighbourOf(client, call, step).then(
      (id) => {
        // Replaces the history entry, so that Back leads to the list.
        if (id === null) setNotice({ id: call.id, words: NONE[step] });
        else if (isStillHere()) router.replace(PAGES.call(id));
      },
      (problem: unknown) => setNotice({ id: call.id, words: messageOf(problem) }),
    );
  }

  usePageKeys({ j: () => go('older'), k: () => go('newer') });

  return (
    <span className="flex items-center gap-1">
      <span role="status" className="text-sm text-muted">
        {notice?.id === call.id ? notice.words : null}
      </span>
      <IconButton size="sm" label="Newer call" hint={<Kbd>k</Kbd>} onClick={() => go('newer')}>
        <ChevronUp />
      </IconButton>
      <IconButton size="sm" label="Older call" hint={<Kbd>j</Kbd>} onClick={() => go('older')}>
        <ChevronDown />
      </IconButton>
    </span>
  );
}

function PendingResult({ bytes, error, retrying, onRetry }: { bytes: number; error: unknown; retrying: boolean; onRetry: () => void }) {
  const size = sizeInWords(bytes);
  if (error !== null)
    return (
      <ErrorState title={`The result of ${size} could not be loaded`} detail={messageOf(error)} onRetry={onRetry} retrying={retrying} />
    );
  return (
    <p role="status" className="tabular flex items-center justify-center gap-2 pt-24 text-sm text-muted">
      <Spinner />
      Loading {size}…
    </p>
  );
}

const LONGEST = 10;

function ReplayChain({ id, depth = 1 }: { id: string; depth?: number }) {
  const { data: call, error } = useQuery(queries.call(id));
  return (
    <div className="flex flex-col gap-2 border-l-2 pl-3 text-sm">
      <Link href={PAGES.call(id)} className="flex flex-wrap items-center gap-x-3 rounded-sm hover:underline">
        {call === undefined ? (
          <code className="text-xs">…{id.slice(-8)}</code>
        ) : (
          <>
            <StateText state={call.status} />
            <RelativeTime time={call.started_at} className="text-muted" />
          </>
        )}
      </Link>
      {error === null || call !== undefined ? null : (
        <span className="text-muted">
          {hasProblemCode(error, 'call_not_found') ? 'It is no longer in the history.' : `It could not be read. ${messageOf(error)}`}
        </span>
      )}
      {call === undefined || call.replay_of === null ? null : depth >= LONGEST ? (
        <span className="text-muted">and so on</span>
      ) : (
        <ReplayChain id={call.replay_of} depth={depth + 1} />
      )}
    </div>
  );
}

const SHOWN = 10;

function ReplaysOf({ id }: { id: string }) {
  const query = useInfiniteQuery(queries.calls({ replay_of: id }, SHOWN));
  const [first] = query.data?.pages ?? [];
  if (first === undefined && query.error !== null) return <QueryState query={query} what="the replays" />;
  if (first === undefined || first.calls.length === 0) return null;
  return (
    <Section title="Replays">
      <ul aria-label="Replays" className="flex flex-col gap-2 border-l-2 pl-3 text-sm">
        {first.calls.map((call) => (
          <li key={call.id}>
            <Link href={PAGES.call(call.id)} className="flex flex-wrap items-center gap-x-3 rounded-sm hover:underline">
              <StateText state={call.status} />
              <RelativeTime time={call.started_at} className="text-muted" />
            </Link>
          </li>
        ))}
      </ul>
      {first.next_cursor === null ? null : (
        <Link href={`${PAGES.calls}?${new URLSearchParams({ replay_of: id })}`} className="link w-fit text-sm">
          Show all replays
        </Link>
      )}
    </Section>
  );
}

/** The end of an id (its start is a time, similar for neighbors), the full id in the title, and a copy button. */
function IdText({ id }: { id: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <code className="text-xs text-muted" title={id}>
        {id.length > 10 ? `…${id.slice(-8)}` : id}
      </code>
      <CopyButton text={id} label="Copy the id" className="size-6" />
    </span>
  );
}
