'use client';

import { Ban, CircleCheck, Ellipsis, LogOut, Power, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Initials } from '#components/ui/Initials.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { useChangeMember, useSignOutMember } from '#lib/client/account-queries.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { useMay, useSession } from '#lib/client/SessionProvider.tsx';
import type { MemberView } from '#lib/contract/account.ts';
import { RoleDialog } from './RoleDialog.tsx';

type Asked = { readonly what: 'role' | 'switch' | 'sign-out'; readonly member: MemberView };

/** Each member on a line, with what an admin can do about him. */
export function MemberTable({ members }: { members: readonly MemberView[] }) {
  const mayManage = useMay('members.manage');
  const me = useSession().view.person?.id ?? null;
  const [asked, setAsked] = useState<Asked | null>(null);
  const change = useChangeMember();
  const signOut = useSignOutMember();
  const close = () => setAsked(null);
  return (
    <>
      <ul aria-label="Members" className="divide-y">
        {members.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            isMe={member.id === me}
            onAsk={mayManage ? (what) => setAsked({ what, member }) : null}
          />
        ))}
      </ul>
      {asked?.what === 'role' ? <RoleDialog member={asked.member} isMe={asked.member.id === me} onClose={close} /> : null}
      {asked?.what === 'switch' ? (
        <AlertDialog
          open
          onOpenChange={close}
          title={asked.member.active ? `Deactivate ${asked.member.name}?` : `Activate ${asked.member.name} again?`}
          description={
            asked.member.active
              ? 'Whoever it is is signed out at once and cannot sign in, and the tokens made by this account stop working. What was done stays in the history under the name.'
              : `Can sign in again, as ${ROLE_WORDS[asked.member.role].name.toLowerCase()}.`
          }
          confirm={asked.member.active ? 'Deactivate' : 'Activate'}
          danger={asked.member.active}
          onConfirm={() => change.mutateAsync({ id: asked.member.id, change: { active: !asked.member.active } })}
        />
      ) : null}
      {asked?.what === 'sign-out' ? (
        <AlertDialog
          open
          onOpenChange={close}
          title={asked.member.id === me ? 'Sign yourself out everywhere?' : `Sign ${asked.member.name} out everywhere?`}
          description="Every browser in which this account is signed in has to sign in again. Tokens go on working."
          confirm="Sign out"
          onConfirm={() => signOut.mutateAsync(asked.member.id)}
        />
      ) : null}
    </>
  );
}

interface MemberRowProps {
  member: MemberView;
  isMe: boolean;
  /** Null where nothing can be done. */
  onAsk: ((what: Asked['what']) => void) | null;
}

function MemberRow({ member, isMe, onAsk }: MemberRowProps) {
  return (
    <li className="flex min-w-0 items-center gap-3 px-4 py-2.5">
      <Initials letters={member.initials} {...(member.active ? {} : { className: 'opacity-60' })} />
      <div className="grid min-w-0 flex-1 items-center gap-x-4 gap-y-0.5 md:grid-cols-[minmax(0,1fr)_7rem_minmax(11rem,auto)]">
        <div className="flex min-w-0 flex-col">
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
            <bdi className="min-w-0 truncate font-medium" title={member.name}>
              {member.name}
            </bdi>
            {isMe ? <Badge>You</Badge> : null}
            {member.active ? null : (
              <Badge tone="off" icon={<Ban aria-hidden />}>
                Switched off
              </Badge>
            )}
          </span>
          {member.email === undefined ? null : (
            <span className="truncate text-sm text-muted" title={member.email}>
              {member.email}
              {member.sign_in === 'oidc' ? ' · by the provider' : ''}
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
              'Not seen since joining'
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
            <IconButton label={`What can be done about ${member.name}`}>
              <Ellipsis aria-hidden />
            </IconButton>
          }
        >
          <MenuItem icon={<ShieldCheck aria-hidden />} onSelect={() => onAsk('role')}>
            Change the role…
          </MenuItem>
          <MenuItem icon={<LogOut aria-hidden />} onSelect={() => onAsk('sign-out')}>
            Sign out everywhere…
          </MenuItem>
          <MenuItem
            icon={member.active ? <Power aria-hidden /> : <CircleCheck aria-hidden />}
            danger={member.active}
            onSelect={() => onAsk('switch')}
          >
            {member.active ? 'Deactivate…' : 'Activate…'}
          </MenuItem>
        </DropdownMenu>
      )}
    </li>
  );
}
