import { auditActorOf } from '#lib/access/actor-of.ts';
import { randomUUIDv7, createHash, randomBytes } from 'node:crypto';
import type { Invitation, InvitationList, Join, JoinOffer } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { AccountRepository, JoinLinkRow, JoinOutcome } from '#lib/store/account-store.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Member } from '#lib/access/principal.ts';
import type { Invitations, Caller, Joining } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { AuthEngine } from './auth-engine.ts';
import type { MemberSessions } from './member-sessions.ts';
import type { PasswordChecks } from './password-checks.ts';
import { checkPassword } from './password-rules.ts';
import type { CompleteSignIn } from './sign-in.ts';

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

/** Secret of an invitation link: 256 random bits, stored as a hash. */
export function makeJoinSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashJoinSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The secret follows `#`, which browsers do not send, so no log contains it. */
export function joinLink(origin: string, secret: string): string {
  return `${origin}${PAGES.join}#${secret}`;
}

/**
 * Joining through an invitation link. What can go wrong:
 * - the link is guessed: it has 256 random bits, and the database has their hash;
 * - the link is used twice: the transaction that creates the member consumes it;
 * - the link leaks: it expires, can be revoked, and the one for the first admin is replaced at each start and invalid once a
 *   member exists.
 */
interface JoiningOptions {
  readonly engine: AuthEngine;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly checks: PasswordChecks;
  readonly audit: Audit;
  readonly completeSignIn: CompleteSignIn;
  joined(memberId: string): void;
  now?(): number;
}

const EVENTS = { first_admin: 'team.founded', recovery: 'team.recovered', invitation: 'invitations.accepted' } as const;

export function createJoining(options: JoiningOptions): Joining {
  const { engine, repository, sessions, checks, audit, completeSignIn, joined, now = Date.now } = options;

  const find = async (secret: string): Promise<JoinLinkRow | null> => {
    const link = await repository.link(hashJoinSecret(secret), now());
    return link?.kind === 'first_admin' && (await repository.memberCount()) > 0 ? null : link;
  };

  return {
    async look(secret) {
      const link = await find(secret);
      return link === null ? refuseLink() : ok(offerOf(link));
    },

    async join({ secret, name, email, password }: Join, held: Member | null, { address }: Caller) {
      if ((await find(secret)) === null) return refuseLink();
      const strong = checkPassword(password, { name, email });
      if (!strong.ok) return strong;
      const hashed = await checks.run(async () => ok(await engine.hash(password)));
      if (!hashed.ok) return hashed;
      const member = { id: randomUUIDv7(), name, email, passwordHash: hashed.value };
      const outcome = await repository.join(hashJoinSecret(secret), member, now());
      if (outcome.kind !== 'joined' && outcome.kind !== 'recovered') return refusalOf(outcome.kind);
      sessions.ended(outcome.ended);
      joined(outcome.memberId);
      audit.record({
        actor: { kind: 'member', id: outcome.memberId, name },
        action: EVENTS[outcome.link.kind],
        target: name,
        outcome: 'done',
        address,
        detail: { role: outcome.link.role, email, invited_by: outcome.link.invitedBy, new_password: outcome.kind === 'recovered' },
      });
      return completeSignIn(await engine.beginSession(outcome.memberId), held);
    },

    async firstAdminLink(origin) {
      if ((await repository.memberCount()) > 0) return null;
      const secret = makeJoinSecret();
      const at = now();
      await repository.insertLink({
        id: randomUUIDv7(),
        kind: 'first_admin',
        secretHash: hashJoinSecret(secret),
        email: null,
        role: 'admin',
        invitedBy: null,
        createdAt: at,
        expiresAt: at + LIMITS.firstAdminLinkMs,
      });
      return joinLink(origin, secret);
    },
  };
}

function offerOf({ kind, email, role, expiresAt, invitedBy }: JoinLinkRow): JoinOffer {
  return { kind, email, role, expires_at: new Date(expiresAt).toISOString(), invited_by: invitedBy };
}

function refuseLink(): Result<never> {
  return refuse('invitation_invalid', 'This invitation link was used, revoked or replaced, or has expired. Ask an admin for a new one.');
}

function refusalOf(kind: Exclude<JoinOutcome['kind'], 'joined' | 'recovered'>): Result<never> {
  if (kind === 'link_invalid') return refuseLink();
  if (kind === 'name_taken')
    return refuse('state_conflict', 'A member with this name exists. Add something to distinguish you, such as your family name.', {
      extra: { field: 'name' },
    });
  if (kind === 'email_taken')
    return refuse('state_conflict', 'An account with this e-mail address exists. Sign in.', { extra: { field: 'email' } });
  return refuse('state_conflict', 'The invitation is for another e-mail address. Use that address, or ask for a new invitation.', {
    extra: { field: 'email' },
  });
}
