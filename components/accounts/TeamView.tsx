'use client';

import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { InvitationList } from './InvitationList.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { MemberTable } from './MemberTable.tsx';

/** Who is in the team, what each may, and who is invited. */
export function TeamView() {
  const { data, error, refetch, isFetching } = useQuery(accountQueries.members());
  const mayManage = useMay('members.manage');
  const [inviting, setInviting] = useState(false);
  const active = data?.members.filter((member) => member.active).length ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Team"
        note={
          mayManage
            ? 'Who may come in here, and what each may do.'
            : 'Who may come in here. Roles and invitations are changed by people with the role admin.'
        }
        actions={
          mayManage ? (
            <Button variant="primary" icon={<UserPlus aria-hidden />} onClick={() => setInviting(true)}>
              Invite somebody
            </Button>
          ) : null
        }
      />
      <Panel title="Members" {...(data === undefined ? {} : { note: countInWords(active, data.members.length) })} flush>
        {data === undefined ? (
          error === null ? (
            <Skeleton lines={4} label="Reading the members…" />
          ) : (
            <ErrorState
              className="m-4"
              title="The members could not be read"
              detail={messageOf(error)}
              onRetry={() => void refetch()}
              retrying={isFetching}
            />
          )
        ) : (
          <MemberTable members={data.members} />
        )}
      </Panel>
      {mayManage ? <InvitationList onInvite={() => setInviting(true)} /> : null}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </div>
  );
}

function countInWords(active: number, all: number): string {
  return active === all ? String(all) : `${active} active, ${all - active} switched off`;
}
