'use client';

import { useQuery } from '@tanstack/react-query';
import { Ban, CircleCheck, Ellipsis, LogOut, MailX, Power, ShieldCheck, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Initials } from '#components/ui/icons.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { useMay, useSession } from '#lib/client/SessionProvider.tsx';
import { accountQueries, useChangeMember, useInvite, useSignOutMember, useWithdrawInvitation } from '#lib/client/account-queries.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { Invitation, Invited, MemberView } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Role } from '#lib/contract/actions.ts';
import { SecretOnce } from './SecretOnce.tsx';
import { RoleFields } from './AccessFields.tsx';

export function TeamView() {
  const { data, error, refetch, isFetching } = useQuery(accountQueries.members());
  const mayManage = useMay('members.manage');
  const [inviting, setInviting] = useState(false);
  const active = data?.members.filter((member) => member.active).length ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Team"
        note={mayManage ? 'Members and their roles' : 'Members and their roles. Only admins change roles and send invitations.'}
        actions={
          mayManage ? (
            <Button variant="primary" icon={<UserPlus />} onClick={() => setInviting(true)}>
              Invite member
            </Button>
          ) : null
        }
      />
      <Panel title="Members" note={data === undefined ? undefined : countInWords(active, data.members.length)} flush>
        {data === undefined ? (
          <QueryState query={{ error, refetch, isFetching }} what="the members" lines={4} inset />
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
  return active === all ? String(all) : `${active} active, ${all - active} deactivated`;
}

type OpenDialog = { readonly what: 'role' | 'switch' | 'sign-out'; readonly member: MemberView };

function MemberTable({ members }: { members: readonly MemberView[] }) {
  const mayManage = useMay('members.manage');
  const me = useSession().view.person?.id ?? null;
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const change = useChangeMember();
  const signOut = useSignOutMember();
  const close = () => setDialog(null);
  return (
    <>
      <ul aria-label="Members" className="divide-y">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            isMe={member.id === me}
            onAsk={mayManage ? (what) => setDialog({ what, member }) : null}
          />
        ))}
      </ul>
      {dialog?.what === 'role' ? <RoleDialog member={dialog.member} isMe={dialog.member.id === me} onClose={close} /> : null}
      {dialog?.what === 'switch' ? (
        <AlertDialog
          onClose={close}
          title={dialog.member.active ? `Deactivate ${dialog.member.name}?` : `Activate ${dialog.member.name} again?`}
          description={
            dialog.member.active
              ? 'The member is signed out immediately and cannot sign in. Their tokens stop working. Their past actions stay in the history.'
              : `They can sign in again as ${ROLE_WORDS[dialog.member.role].name.toLowerCase()}.`
          }
          confirm={dialog.member.active ? 'Deactivate' : 'Activate'}
          danger={dialog.member.active}
          onConfirm={() => change.mutateAsync({ id: dialog.member.id, change: { active: !dialog.member.active } })}
        />
      ) : null}
      {dialog?.what === 'sign-out' ? (
        <AlertDialog
          onClose={close}
          title={dialog.member.id === me ? 'Sign yourself out everywhere?' : `Sign ${dialog.member.name} out everywhere?`}
          description="Signs this account out in every browser. Its tokens keep working."
          confirm="Sign out"
          onConfirm={() => signOut.mutateAsync(dialog.member.id)}
        />
      ) : null}
    </>
  );
}

function MemberRow({ member, isMe, onAsk }: { member: MemberView; isMe: boolean; onAsk: ((what: OpenDialog['what']) => void) | null }) {
  return (
    <li className="flex min-w-0 items-center gap-3 px-4 py-2">
      <Initials letters={member.initials} className={member.active ? undefined : 'opacity-60'} />
      <div className="grid min-w-0 flex-1 items-center gap-x-4 gap-y-1 md:grid-cols-[minmax(0,1fr)_7rem_minmax(11rem,auto)]">
        <div className="flex min-w-0 flex-col">
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <bdi className="min-w-0 truncate font-medium" title={member.name}>
              {member.name}
            </bdi>
            {isMe ? <Badge>You</Badge> : null}
            {member.active ? null : (
              <Badge tone="off" icon={<Ban />}>
                Switched off
              </Badge>
            )}
          </span>
          {member.email === undefined ? null : (
            <span className="truncate text-sm text-muted" title={member.email}>
              {member.email}
              {member.sign_in === 'oidc' ? ' · identity provider' : ''}
            </span>
          )}
        </div>
        <div className="flex flex-wrap gap-x-3 text-sm md:contents">
          <span className="font-medium">
            <span className="sr-only">Role: </span>
            {ROLE_WORDS[member.role].name}
          </span>
          <span className="text-muted">
            {member.last_seen === null ? (
              'Never seen'
            ) : (
              <>
                Seen <RelativeTime time={member.last_seen} />
              </>
            )}
          </span>
        </div>
      </div>
      {onAsk === null ? null : (
        <DropdownMenu
          trigger={
            <IconButton label={`Actions for ${member.name}`}>
              <Ellipsis />
            </IconButton>
          }
        >
          <MenuItem icon={<ShieldCheck />} onSelect={() => onAsk('role')}>
            Change role…
          </MenuItem>
          <MenuItem icon={<LogOut />} onSelect={() => onAsk('sign-out')}>
            Sign out everywhere…
          </MenuItem>
          <MenuItem icon={member.active ? <Power /> : <CircleCheck />} danger={member.active} onSelect={() => onAsk('switch')}>
            {member.active ? 'Deactivate…' : 'Activate…'}
          </MenuItem>
        </DropdownMenu>
      )}
    </li>
  );
}

function RoleDialog({ member, isMe, onClose }: { member: MemberView; isMe: boolean; onClose: () => void }) {
  const [role, setRole] = useState(member.role);
  const change = useChangeMember();
  return (
    <FormDialog
      onClose={onClose}
      title={isMe ? 'Change your role' : `Change role of ${member.name}`}
      description={`Takes effect immediately: ${isMe ? 'you are' : 'the member is'} signed out. A token never has more permissions than its owner.`}
      submit="Change role"
      pending={change.isPending}
      isIncomplete={role === member.role}
      error={change.error}
      onSubmit={() => change.mutate({ id: member.id, change: { role } }, { onSuccess: onClose })}
    >
      <RoleFields value={role} onChange={setRole} />
    </FormDialog>
  );
}

function InvitationList({ onInvite }: { onInvite: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(accountQueries.invitations());
  const withdraw = useWithdrawInvitation();
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null);
  return (
    <Panel title="Open invitations" note={data === undefined || data.invitations.length === 0 ? undefined : data.invitations.length} flush>
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the invitations" lines={2} inset />
      ) : data.invitations.length === 0 ? (
        <EmptyState title="No open invitations" actions={<Button onClick={onInvite}>Invite member</Button>} className="py-6">
          Invitations stay here until they are used or expire.
        </EmptyState>
      ) : (
        <ul aria-label="Open invitations" className="divide-y">
          {data.invitations.map((invitation) => (
            <li key={invitation.id} className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
              <span className="min-w-0 flex-1 basis-52">
                <span className="block truncate font-medium">{invitation.email ?? 'Anyone with the link'}</span>
                <span className="block text-sm text-muted">
                  as {ROLE_WORDS[invitation.role].name.toLowerCase()}, by <bdi>{invitation.invited_by}</bdi>{' '}
                  <RelativeTime time={invitation.created_at} />
                </span>
              </span>
              <span className="text-sm text-muted">
                Expires <RelativeTime time={invitation.expires_at} />
              </span>
              <Button size="sm" icon={<MailX />} onClick={() => setWithdrawing(invitation)}>
                Withdraw<span className="sr-only"> the invitation of {invitation.email ?? 'anyone with the link'}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <AlertDialog
        open={withdrawing !== null}
        onClose={() => setWithdrawing(null)}
        title="Withdraw this invitation?"
        description={`Its link stops working immediately${withdrawing?.email == null ? '' : ` for ${withdrawing.email}`}.`}
        confirm="Withdraw"
        danger
        onConfirm={() => (withdrawing === null ? undefined : withdraw.mutateAsync(withdrawing.id))}
      />
    </Panel>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [role, setRole] = useState<Role>('operator');
  const [email, setEmail] = useState('');
  const made = invite.data;
  return (
    <FormDialog
      title={made === undefined ? 'Invite member' : 'Invitation created'}
      description={
        made === undefined
          ? 'Creates a single-use link that expires after seven days.'
          : made.invitation.email === null
            ? 'Send this link. The first person to use it joins.'
            : `Send this link to ${made.invitation.email}.`
      }
      submit="Create link"
      pending={invite.isPending}
      error={invite.error}
      result={made === undefined ? null : <InvitationCreated made={made} />}
      onSubmit={() => invite.mutate({ email: email.trim() === '' ? null : email.trim(), role })}
      onClose={onClose}
    >
      <Field label="E-mail" description="Optional. Without it, anyone with the link can join.">
        <Input
          type="email"
          autoComplete="off"
          inputMode="email"
          maxLength={LIMITS.emailLength}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <RoleFields value={role} onChange={setRole} />
    </FormDialog>
  );
}

function InvitationCreated({ made: { link, invitation } }: { made: Invited }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <SecretOnce text={link} label="Invitation link" copyLabel="Copy link" />
      <p className="text-sm text-muted">
        For {invitation.email ?? 'anyone with the link'}, as {ROLE_WORDS[invitation.role].name.toLowerCase()}; expires{' '}
        <RelativeTime time={invitation.expires_at} />. Withdraw it in the list of open invitations.
      </p>
    </div>
  );
}
