'use client';

import { useQuery } from '@tanstack/react-query';
import { Pencil, UserPlus, Waypoints } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { Note } from '#components/ui/Note.tsx';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeFrame, FailedCheckList, StackTrace } from '#components/ui/FailureCause.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Initials } from '#components/ui/icons.tsx';
import { Facts, Panel } from '#components/ui/Panel.tsx';
import { RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { Form, Input } from '#components/ui/Field.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode } from '#lib/client/api-problem.ts';
import { failedCheckItems, messageBesideChecks, locationOf } from '#lib/client/failure-markdown.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { usePresence } from '#lib/client/use-presence.ts';
import type { FailureGroupDetail, PresentPerson } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { LIMITS } from '#lib/contract/limits.ts';
import { ChangesPanel } from './ChangesPanel.tsx';
import { Conversation } from './Conversation.tsx';
import { FailureHead } from './FailureHead.tsx';
import { GroupingPanel } from './GroupingPanel.tsx';
import { ReviewProvider, useReview } from './ReviewProvider.tsx';
import { Sparkline } from './Sparkline.tsx';
import { ignoringInWords } from './review-words.ts';

const NAMED = 3;

export function presenceInWords(people: readonly PresentPerson[]): string {
  const [first] = people;
  if (first === undefined) return '';
  if (people.length === 1) return `${first.name} is here too${first.doing === 'writing' ? ', and writes a comment' : ''}`;
  const named = people.slice(0, people.length > NAMED ? NAMED - 1 : NAMED).map(({ name }) => name);
  const others = people.length - named.length;
  const all = others === 0 ? named : [...named, `${others} others`];
  const writers = people.filter(({ doing }) => doing === 'writing');
  const writing =
    writers.length === 0 ? '' : writers.length === 1 ? `; ${writers[0]?.name} writes a comment` : `; ${writers.length} write comments`;
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)} are here too${writing}`;
}

export function FailurePage({ id }: { id: string }) {
  return (
    <ReviewProvider>
      <Keys id={id} />
      <FailureDetail id={id} />
    </ReviewProvider>
  );
}

function Keys({ id }: { id: string }) {
  const review = useReview();
  usePageKeys({
    a: () => review.assignToMe([id]),
    e: () => review.change([id], { status: 'acknowledged' }),
    i: () => review.askToIgnore([id]),
    o: () => review.showSource(id),
  });
  return null;
}

export function FailureDetail({ id, inPanel = false }: { id: string; inPanel?: boolean }) {
  const router = useRouter();
  const isTeam = useSession().view.mode === 'team';
  const [isWriting, setWriting] = useState(false);
  const { data: group, error, refetch, isFetching } = useQuery(failureQueries.one(id));
  const movedTo = group !== undefined && group.id !== id ? group.id : null;

  // A merged group redirects to its new group.
  useEffect(() => {
    if (movedTo !== null && !inPanel) router.replace(PAGES.failure(movedTo));
  }, [movedTo, inPanel, router]);

  if (group === undefined) {
    if (hasProblemCode(error, 'failure_not_found')) return <p className="py-6 text-center text-muted">Failure not found</p>;
    return <QueryState query={{ error, refetch, isFetching }} what="the failure" lines={8} />;
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
    <div className="flex min-w-0 flex-col gap-4">
      <FailureHead group={group} inPanel={inPanel} />
      {isTeam ? <PresenceLine key={group.id} id={group.id} isWriting={isWriting} /> : null}
      {group.related.length === 0 ? null : <SameCause group={group} />}
      <div className={inPanel ? 'flex min-w-0 flex-col gap-4' : 'grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]'}>
        <div className="flex min-w-0 flex-col gap-4">
          <Fault group={group} />
          <ChangesPanel group={group} />
          <Evidence group={group} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">{side}</div>
      </div>
    </div>
  );
}

function Fault({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const { latest } = group;
  const place = locationOf(latest);
  const message = messageBesideChecks(latest);
  const [title, ...more] = message.split('\n');
  return (
    <Panel
      title="Error"
      note={place === null ? undefined : <code className="break-all text-fg">{place}</code>}
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
        <Note tone="hint">
          <CodeText text={latest.hint} />
        </Note>
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
        <Panel title="Output">
          <ScrollPre label="Output" className="foreign max-h-80 overflow-y-auto rounded border bg-subtle p-3 text-sm leading-5">
            {output.trimEnd()}
          </ScrollPre>
        </Panel>
      )}
      <Panel title="Environment" note="variable names only">
        <EnvironmentFacts group={group} />
      </Panel>
    </>
  );
}

function SameCause({ group }: { group: FailureGroupDetail }) {
  return (
    <div className="flex gap-2 rounded border border-failed/45 bg-failed-soft px-4 py-3">
      <Waypoints className="h-lh w-4 shrink-0 text-failed" />
      <p className="min-w-0 break-words">
        <strong className="font-semibold">
          The same cause broke {group.related.length} other {group.related.length === 1 ? 'extension' : 'extensions'}:
        </strong>{' '}
        {group.related.map((other, at) => (
          <span key={other.id}>
            {at === 0 ? '' : ', '}
            <Link href={PAGES.failure(other.id)} className="link">
              {other.extension}
            </Link>
          </span>
        ))}
        . Fix it once to resolve all of them.
      </p>
    </div>
  );
}

const RUNTIMES: Readonly<Record<string, string>> = { node: 'Node.js', python: 'Python', mcp: 'MCP server' };

function EnvironmentFacts({ group }: { group: FailureGroupDetail }) {
  const { environment, latest } = group;
  const isShared = useIsShared();
  const place = isShared &&
    latest.instance !== undefined && { name: 'Instance', value: <span className="break-all">{latest.instance}</span> };
  if (environment === null && place) return <Facts items={[place]} />;
  if (environment === null) return <p className="text-muted">No data yet. Fix the failure to load the first revision.</p>;
  const { runtime, version, variables, permissions, packages = {} } = environment;
  const installed = Object.entries(packages).map(([name, which]) => `${name} ${which}`);
  const facts = [
    place,
    { name: 'Runtime', value: `${RUNTIMES[runtime] ?? runtime}${version === null ? '' : ` ${version}`}` },
    runtime === 'node' && { name: 'Permissions', value: permissions.length === 0 ? 'none' : permissions.join(', ') },
    installed.length === 0 ? null : { name: 'Packages', value: <span className="break-words">{installed.join(', ')}</span> },
    {
      name: 'Variables',
      value:
        variables.length === 0 ? (
          'none'
        ) : (
          <details>
            <summary className="w-fit rounded-sm">{variables.length === 1 ? 'one' : `${variables.length}, by name`}</summary>
            <p className="mt-1 font-mono text-xs leading-5 break-words text-muted">{variables.join('  ')}</p>
          </details>
        ),
    },
  ];
  return <Facts items={facts} />;
}

function OccurrencesPanel({ group }: { group: FailureGroupDetail }) {
  const max = Math.max(1, ...group.occurrences.map((each) => each.count));
  return (
    <Panel title="By version" note={<Sparkline trend={group.trend} />}>
      {group.occurrences.length === 0 ? (
        <p className="text-muted">No occurrences recorded.</p>
      ) : (
        <ol className="flex max-h-72 flex-col gap-2 overflow-y-auto text-sm">
          {group.occurrences.map((each) => (
            <li
              key={`${each.snapshot_version}-${each.revision}`}
              className="tabular grid grid-cols-[3.5rem_5.5rem_1fr_auto] items-center gap-2"
            >
              <Link href={PAGES.version(each.snapshot_version)} className="link">
                v{each.snapshot_version}
              </Link>
              <span className="text-muted">{each.revision === null ? 'no revision' : `revision ${each.revision}`}</span>
              <svg role="img" aria-label={`${each.count} times`} viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full">
                <rect x={0} y={0} width={Math.max(2, (each.count / max) * 100)} height={8} rx={1} className="fill-failed" />
              </svg>
              <span>
                {each.count}× <span className="text-muted">·</span> <RelativeTime time={each.last_seen} className="text-muted" />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const SHOWN = 5;

function PresenceLine({ id, isWriting }: { id: string; isWriting: boolean }) {
  const people = usePresence(id, isWriting ? 'writing' : 'looking');
  return (
    <div role="status" aria-label="Also viewing" className="empty:hidden">
      {people.length === 0 ? null : (
        <p className="flex min-w-0 items-center gap-2 text-sm">
          <span className="flex shrink-0 gap-1">
            {people.slice(0, SHOWN).map((person) => (
              <Initials key={person.id} size="sm" letters={person.initials} />
            ))}
          </span>
          <span className="min-w-0 break-words">{presenceInWords(people)}</span>
        </p>
      )}
    </div>
  );
}

const MemberPicker = lazyPart(async () => (await import('./MemberPicker.tsx')).MemberPicker);

function ReviewPanel({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const { clock } = useTimeZone();
  const facts = [
    { name: 'Status', value: <StateText state={group.status} /> },
    group.status === 'ignored' && { name: 'Ignored', value: ignoringInWords(group.ignore_until, clock) },
    group.reason === null ? null : { name: 'Reason', value: <span className="foreign">{group.reason}</span> },
    group.resolved_by === null
      ? null
      : {
          name: group.regression ? 'Previously fixed' : 'Fixed',
          value: `${group.resolved_by.revision === null ? 'extension removed' : `in revision ${group.resolved_by.revision}`}, version ${group.resolved_by.snapshot_version}`,
        },
    group.regressed_by === null
      ? null
      : {
          name: 'Regressed',
          value: `${group.regressed_by.revision === null ? 'again' : `in revision ${group.regressed_by.revision}`}, version ${group.regressed_by.snapshot_version}`,
        },
    { name: 'Assignee', value: <Assignee key={group.assignee} group={group} /> },
    {
      name: 'First seen',
      value: (
        <span>
          <RelativeTime time={group.first_seen} />, version {group.first_version}
        </span>
      ),
    },
    {
      name: 'Last seen',
      value: (
        <span>
          <RelativeTime time={group.last_seen} />, version {group.last_version}
        </span>
      ),
    },
  ];
  return (
    <Panel title="Review">
      <Facts items={facts} />
      {review.problem === null ? null : <ProblemLine className="mt-3">{review.problem}</ProblemLine>}
    </Panel>
  );
}

function Assignee({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const me = usePersonName();
  const isTeam = useSession().view.mode === 'team';
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null && isTeam) {
    return (
      <MemberPicker
        hasOne={group.assignee !== null}
        onClose={() => setDraft(null)}
        onChoose={(assignee) => {
          setDraft(null);
          review.change([group.id], { assignee });
        }}
      />
    );
  }
  if (draft !== null) {
    return (
      <AssigneeForm
        assignee={draft}
        onSave={(name) => {
          setDraft(null);
          review.change([group.id], { assignee: name === '' ? null : name });
        }}
      />
    );
  }
  return (
    <span className="flex flex-col gap-1">
      <span className={group.assignee === null ? 'text-muted' : 'font-medium break-words'}>{group.assignee ?? 'Unassigned'}</span>
      {isTeam ? <InactiveAssignee group={group} /> : null}
      <span hidden={!review.isOffered} className="-ml-2 flex flex-wrap">
        {group.assignee !== null && group.assignee === me ? null : (
          <Button size="sm" variant="quiet" icon={<UserPlus />} onClick={() => review.assignToMe([group.id])}>
            Assign to me
          </Button>
        )}
        <Button size="sm" variant="quiet" icon={<Pencil />} onClick={() => setDraft(group.assignee ?? '')}>
          {group.assignee === null ? 'Assign…' : 'Change'}
        </Button>
      </span>
    </span>
  );
}

/** Gets the focus, since it replaces the button that opened it. */
function AssigneeForm({ assignee, onSave }: { assignee: string; onSave: (name: string) => void }) {
  const [name, setName] = useState(assignee);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Form className="flex flex-wrap gap-2" onSubmit={() => onSave(name.trim())}>
      <Input
        ref={field}
        aria-label="Assignee"
        value={name}
        maxLength={LIMITS.nameLength}
        autoComplete="off"
        placeholder="Unassigned"
        onChange={(event) => setName(event.target.value)}
        className="min-w-24 flex-1"
      />
      <Button type="submit" size="sm" className="h-8">
        Save
      </Button>
    </Form>
  );
}

function InactiveAssignee({ group: { assignee, assignee_member: member } }: { group: FailureGroupDetail }) {
  if (assignee === null || member?.active === true) return null;
  return (
    <span className="text-sm text-degraded">
      {member === undefined ? 'No matching member.' : 'This account is deactivated. Assign someone else.'}
    </span>
  );
}
