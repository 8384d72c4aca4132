'use client';

import { Pencil, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { Facts, Panel } from '#components/ui/Panel.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { useSession } from '#lib/client/SessionProvider.tsx';
import type { FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ignoringInWords } from './review-words.ts';
import { useReview } from './ReviewProvider.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const MemberPicker = lazyPart(async () => (await import('./MemberPicker.tsx')).MemberPicker);

export function ReviewPanel({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const { clock } = useTimeZone();
  const facts: { name: string; value: ReactNode }[] = [
    { name: 'Status', value: <StateText state={group.status} /> },
    ...(group.status === 'ignored' ? [{ name: 'Ignored', value: ignoringInWords(group.ignore_until, clock) }] : []),
    ...(group.reason === null ? [] : [{ name: 'Reason', value: <span className="foreign">{group.reason}</span> }]),
    ...(group.resolved_by === null
      ? []
      : [
          {
            name: group.regression ? 'Previously fixed' : 'Fixed',
            value: `${group.resolved_by.revision === null ? 'extension removed' : `in revision ${group.resolved_by.revision}`}, version ${group.resolved_by.snapshot_version}`,
          },
        ]),
    ...(group.regressed_by === null
      ? []
      : [
          {
            name: 'Regressed',
            value: `${group.regressed_by.revision === null ? 'again' : `in revision ${group.regressed_by.revision}`}, version ${group.regressed_by.snapshot_version}`,
          },
        ]),
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
      <form
        className="flex flex-wrap gap-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          const name = draft.trim();
          setDraft(null);
          review.change([group.id], { assignee: name === '' ? null : name });
        }}
      >
        <Input
          aria-label="Assignee"
          value={draft}
          maxLength={LIMITS.nameLength}
          autoComplete="off"
          placeholder="Nobody"
          onChange={(event) => setDraft(event.target.value)}
          className="min-w-24 flex-1"
        />
        <Button type="submit" size="sm" className="h-8">
          Save
        </Button>
      </form>
    );
  }
  return (
    <span className="flex flex-col gap-0.5">
      <span className={group.assignee === null ? 'text-muted' : 'font-medium break-words'}>{group.assignee ?? 'Nobody'}</span>
      {isTeam ? <NotAround group={group} /> : null}
      <span hidden={!review.isOffered} className="-ml-2.5 flex flex-wrap">
        {group.assignee !== null && group.assignee === me ? null : (
          <Button size="sm" variant="quiet" icon={<UserPlus aria-hidden />} onClick={() => review.assignToMe([group.id])}>
            Assign to me
          </Button>
        )}
        <Button size="sm" variant="quiet" icon={<Pencil aria-hidden />} onClick={() => setDraft(group.assignee ?? '')}>
          {group.assignee === null ? 'Assign…' : 'Change'}
        </Button>
      </span>
    </span>
  );
}

function NotAround({ group: { assignee, assignee_member: member } }: { group: FailureGroupDetail }) {
  if (assignee === null || member?.active === true) return null;
  return (
    <span className="text-sm text-degraded">
      {member === undefined ? 'No matching member.' : 'This account is deactivated. Assign someone else.'}
    </span>
  );
}
