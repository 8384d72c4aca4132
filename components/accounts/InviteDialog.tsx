'use client';

import { useId, useState } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { useInvite } from '#lib/client/account-queries.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import type { Invited } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Role } from '#lib/contract/roles.ts';
import { MakeOnceDialog } from './MakeOnceDialog.tsx';
import { RoleFields } from './RoleFields.tsx';
import { SecretOnce } from './SecretOnce.tsx';

/** Makes a link by which somebody joins, and shows it once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [role, setRole] = useState<Role>('operator');
  const [email, setEmail] = useState('');
  const formId = useId();
  const fieldId = useId();
  const made = invite.data;
  return (
    <MakeOnceDialog
      title={made === undefined ? 'Invite somebody' : 'The invitation is made'}
      description={
        made === undefined
          ? 'You get a link to hand on. It works once, for seven days.'
          : made.invitation.email === null
            ? 'Hand this link on. Whoever uses it first joins.'
            : `Hand this link on to ${made.invitation.email}.`
      }
      formId={formId}
      make="Make the link"
      pending={invite.isPending}
      error={invite.error}
      shown={made === undefined ? null : <Made made={made} />}
      onSubmit={() => invite.mutate({ email: email.trim() === '' ? null : email.trim(), role })}
      onClose={onClose}
    >
      <Field id={fieldId} label="E-mail" description="Left empty, whoever has the link can join with an address of their own.">
        <Input
          id={fieldId}
          type="email"
          autoComplete="off"
          inputMode="email"
          maxLength={LIMITS.emailLength}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          aria-describedby={`${fieldId}-description`}
        />
      </Field>
      <RoleFields legend="Role" value={role} onChange={setRole} />
    </MakeOnceDialog>
  );
}

function Made({ made: { link, invitation } }: { made: Invited }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <SecretOnce text={link} label="Link to join" copyLabel="Copy the link" />
      <p className="text-sm text-muted">
        For {invitation.email ?? 'whoever opens it'}, as {ROLE_WORDS[invitation.role].name.toLowerCase()}; it ends{' '}
        <RelativeTime time={invitation.expires_at} />. Until then it can be withdrawn below the members.
      </p>
    </div>
  );
}
