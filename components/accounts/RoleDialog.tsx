'use client';

import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { useChangeMember } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import type { MemberView } from '#lib/contract/account.ts';
import { RoleFields } from './RoleFields.tsx';

/** Gives a member another role, having said what each one means. */
export function RoleDialog({ member, isMe, onClose }: { member: MemberView; isMe: boolean; onClose: () => void }) {
  const [role, setRole] = useState(member.role);
  const change = useChangeMember();
  const isSame = role === member.role;
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={isMe ? 'Change your own role' : `Change the role of ${member.name}`}
      description={`It counts at once: ${isMe ? 'you are' : 'whoever it is is'} signed out and signs in again with the new role. Tokens never have more than their owner.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            pending={change.isPending}
            aria-disabled={isSame}
            onClick={() => change.mutate({ id: member.id, change: { role } }, { onSuccess: onClose })}
          >
            Change the role
          </Button>
        </>
      }
    >
      <RoleFields legend="Role" value={role} onChange={setRole} />
      {change.isError ? <ProblemLine className="mt-3">{messageOf(change.error)}</ProblemLine> : null}
    </Dialog>
  );
}
