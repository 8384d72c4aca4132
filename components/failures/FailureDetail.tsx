'use client';

import { useQuery } from '@tanstack/react-query';
import { Lightbulb, Waypoints } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeFrame } from '#components/ui/CodeFrame.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { FailedCheckList } from '#components/ui/FailedCheckList.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StackTrace } from '#components/ui/StackTrace.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { failedCheckItems, messageBesideChecks, placeOf } from '#lib/client/failure-markdown.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';
import type { FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChangesPanel } from './ChangesPanel.tsx';
import { Conversation } from './Conversation.tsx';
import { EnvironmentFacts } from './EnvironmentFacts.tsx';
import { FailureHead } from './FailureHead.tsx';
import { GroupingPanel } from './GroupingPanel.tsx';
import { OccurrencesPanel } from './OccurrencesPanel.tsx';
import { useReview } from './ReviewProvider.tsx';
import { ReviewPanel } from './ReviewPanel.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const PresenceLine = lazyPart(async () => (await import('./PresenceLine.tsx')).PresenceLine);

/** One failure: what broke and where, what changed since it worked, and what people make of it. */
export function FailureDetail({ id, inPanel = false }: { id: string; inPanel?: boolean }) {
  const router = useRouter();
  const isTeam = useSession().view.mode === 'team';
  const [isWriting, setWriting] = useState(false);
  const { data: group, error, refetch, isFetching } = useQuery(failureQueries.one(id));
  const movedTo = group !== undefined && group.id !== id ? group.id : null;

  // It was merged: the address goes on to the group that it is part of now.
  useEffect(() => {
    if (movedTo !== null && !inPanel) router.replace(PAGES.failure(movedTo));
  }, [movedTo, inPanel, router]);

  if (group === undefined) {
    if (error === null) return <Skeleton lines={8} label="Reading the failure…" />;
    if (hasProblemCode(error, 'failure_not_found')) return <p className="py-6 text-center text-muted">There is no failure with this id.</p>;
    return (
      <ErrorState title="The failure could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  const side = (
    <>
      <ReviewPanel group={group} />
      <Panel title="Comments and activity">
        <Conversation group={group} onWriting={setWriting} />
      </Panel>
      <OccurrencesPanel group={group} />
      <GroupingPanel group={group} />
    </>
  );
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <FailureHead group={group} inPanel={inPanel} />
      {isTeam ? <PresenceLine key={group.id} id={group.id} isWriting={isWriting} /> : null}
      {group.related.length === 0 ? null : <SameCause group={group} />}
      <div className={inPanel ? 'flex min-w-0 flex-col gap-5' : 'grid min-w-0 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]'}>
        <div className="flex min-w-0 flex-col gap-5">
          <Fault group={group} />
          <ChangesPanel group={group} />
          <Evidence group={group} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">{side}</div>
      </div>
    </div>
  );
}

function Fault({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const { latest } = group;
  const place = placeOf(latest);
  const message = messageBesideChecks(latest);
  const [title, ...more] = message.split('\n');
  return (
    <Panel
      title="The fault"
      {...(place === null ? {} : { note: <code className="break-all text-fg">{place}</code> })}
      {...(latest.file === null || latest.revision === null
        ? {}
        : {
            actions: (
              <Button size="sm" onClick={() => review.showSource(group.id)}>
                Open source
              </Button>
            ),
          })}
    >
      <div className="flex min-w-0 flex-col gap-3">
        {message === group.title ? null : <p className="foreign">{title === group.title ? more.join('\n').trim() : message}</p>}
        {latest.failed_checks === undefined ? null : <FailedCheckList checks={failedCheckItems(latest)} />}
        {latest.code_frame === null ? null : <CodeFrame frame={latest.code_frame} file={latest.file} />}
        <p className="foreign flex gap-2 rounded-sm bg-subtle px-3 py-2">
          <Lightbulb aria-hidden className="mt-0.5 size-4 shrink-0 text-degraded" />
          <span className="min-w-0">
            <CodeText text={latest.hint} />
          </span>
        </p>
      </div>
    </Panel>
  );
}

function Evidence({ group }: { group: FailureGroupDetail }) {
  const { stack, output } = group.latest;
  return (
    <>
      {stack === null ? null : (
        <Panel title="Stack" note="own frames first">
          <StackTrace stack={stack} title={null} />
        </Panel>
      )}
      {output === null || output.trim() === '' ? null : (
        <Panel title="What it printed">
          <pre
            tabIndex={0}
            role="region"
            aria-label="What it printed"
            className="focus-inset foreign max-h-80 overflow-y-auto rounded border bg-subtle p-3 text-sm leading-5"
          >
            {output.trimEnd()}
          </pre>
        </Panel>
      )}
      <Panel title="Environment" note="of variables the names, never the values">
        <EnvironmentFacts group={group} />
      </Panel>
    </>
  );
}

function SameCause({ group }: { group: FailureGroupDetail }) {
  return (
    <div className="flex gap-2 rounded border border-failed/45 bg-failed-soft px-4 py-3">
      <Waypoints aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      <p className="min-w-0 break-words">
        <strong className="font-semibold">
          The same cause broke {group.related.length} other {group.related.length === 1 ? 'extension' : 'extensions'}:
        </strong>{' '}
        {group.related.map((other, at) => (
          <span key={other.id}>
            {at === 0 ? '' : ', '}
            <Link href={PAGES.failure(other.id)} className="rounded-sm underline underline-offset-2">
              {other.extension}
            </Link>
          </span>
        ))}
        . Mend it once, and all of them are resolved.
      </p>
    </div>
  );
}
