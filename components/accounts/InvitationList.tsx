'use client';

import { useQuery } from '@tanstack/react-query';
import { MailX } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { accountQueries, useWithdrawInvitation } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { Invitation } from '#lib/contract/account.ts';

/** The invitations that nobody has used yet. */
export function InvitationList({ onInvite }: { onInvite: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(accountQueries.invitations());
  const withdraw = useWithdrawInvitation();
  const [asked, setAsked] = useState<Invitation | null>(null);
  return (
    <Panel
      title="Open invitations"
      {...(data === undefined || data.invitations.length === 0 ? {} : { note: data.invitations.length })}
      flush
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={2} label="Reading the invitations…" />
        ) : (
          <ErrorState
            className="m-4"
            title="The invitations could not be read"
            detail={messageOf(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        )
      ) : data.invitations.length === 0 ? (
        <EmptyState title="Nobody is invited" actions={<Button onClick={onInvite}>Invite somebody</Button>} className="py-6">
          Invitations that were not used yet stand here until they end.
        </EmptyState>
      ) : (
        <ul aria-label="Open invitations" className="divide-y">
          {data.invitations.map((invitation) => (
            <li key={invitation.id} className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
              <span className="min-w-0 flex-1 basis-52">
                <span className="block truncate font-medium">{invitation.email ?? 'Whoever has the link'}</span>
                <span className="block text-sm text-muted">
                  as {ROLE_WORDS[invitation.role].name.toLowerCase()}, by <bdi>{invitation.invited_by}</bdi>{' '}
                  <RelativeTime time={invitation.created_at} />
                </span>
              </span>
              <span className="text-sm text-muted">
                Ends <RelativeTime time={invitation.expires_at} />
              </span>
              <Button size="sm" icon={<MailX aria-hidden />} onClick={() => setAsked(invitation)}>
                Withdraw<span className="sr-only"> the invitation of {invitation.email ?? 'whoever has the link'}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <AlertDialog
        open={asked !== null}
        onOpenChange={() => setAsked(null)}
        title="Withdraw this invitation?"
        description={`Its link stops working at once${asked?.email == null ? '' : ` for ${asked.email}`}.`}
        confirm="Withdraw"
        danger
        onConfirm={() => (asked === null ? undefined : withdraw.mutateAsync(asked.id))}
      />
    </Panel>
  );
}
