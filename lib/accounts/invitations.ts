import { auditActorOf } from '#lib/access/actor-of.ts';
import { randomUUIDv7 } from 'node:crypto';
import type { Invitation, InvitationList } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { AccountRepository, JoinLinkRow } from '#lib/store/account-store.ts';
import type { Invitations } from './accounts.ts';
import type { Audit } from './audit.ts';
import { hashJoinSecret, joinLink, makeJoinSecret } from './join-secret.ts';

export interface InvitationsOptions {
  readonly repository: AccountRepository;
  readonly audit: Audit;
  now?(): number;
}

export function createInvitations({ repository, audit, now = Date.now }: InvitationsOptions): Invitations {
  const list = async (): Promise<InvitationList> => ({ invitations: (await repository.invitations(now())).map(show) });

  return {
    list,

    async invite({ email, role }, by, { address, origin }) {
      const known = email === null ? null : await repository.memberByEmail(email);
      if (known !== null && !(known.active && known.role === role))
        return refuse(
          'state_conflict',
          known.active
            ? `${known.name} has this address, with the role ${known.role}. Change the role in the member list, or invite with that role to reset the password.`
            : `${known.name} has this address, but is inactive. Activate the account in the member list.`,
          { extra: { field: 'email' } },
        );
      const secret = makeJoinSecret();
      const at = now();
      const row: JoinLinkRow = {
        id: randomUUIDv7(),
        kind: 'invitation',
        secretHash: hashJoinSecret(secret),
        email,
        role,
        invitedBy: by.name,
        createdAt: at,
        expiresAt: at + LIMITS.invitationMs,
      };
      if ((await repository.insertLink(row)) === 'full')
        return refuse('state_conflict', `${LIMITS.invitationsOpen} invitations are open, the maximum. Revoke some of them.`);
      audit.record({
        actor: auditActorOf(by),
        action: 'invitations.made',
        target: email,
        outcome: 'done',
        address,
        detail: { role, invitation: row.id, ...(known === null ? {} : { new_password_of: known.name }) },
      });
      return ok({ invitation: show(row), link: joinLink(origin, secret) });
    },

    async withdraw(id, by, { address }) {
      const found = (await repository.invitations(now())).find((row) => row.id === id);
      if (found === undefined || !(await repository.removeLink(id)))
        return refuse('invitation_not_found', 'No open invitation has this id: it was accepted, revoked, or has expired.');
      audit.record({
        actor: auditActorOf(by),
        action: 'invitations.withdrawn',
        target: found.email,
        outcome: 'done',
        address,
        detail: { role: found.role, invitation: id },
      });
      return ok(await list());
    },
  };
}

function show({ id, email, role, invitedBy, createdAt, expiresAt }: JoinLinkRow): Invitation {
  return {
    id,
    email,
    role,
    invited_by: invitedBy ?? '',
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}
