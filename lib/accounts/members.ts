import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, Principal } from '#lib/access/principal.ts';
import { authorize } from '#lib/access/authorize.ts';
import type { MemberView } from '#lib/contract/account.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { AccountRepository, MemberRow } from '#lib/store/account-store.ts';
import type { Members, Profile } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { MemberSessions } from './member-sessions.ts';
import { initialsOf } from './session-view.ts';
import type { AuthEngine } from './auth-engine.ts';
import type { PasswordChecks } from './password-checks.ts';
import { checkPassword } from './password-rules.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { SignInOptions, CompleteSignIn } from './sign-in.ts';

export interface MembersOptions {
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly audit: Audit;
  /** Role or activity changed: ends what the tokens of this member have open. */
  changed(memberId: string): Promise<void>;
}

/**
 * Members. What can go wrong: no admin remains, so the last admin cannot be changed; a revoked right survives in an open
 * session, so the member's sessions end before the answer.
 */
export function createMembers({ repository, sessions, audit, changed }: MembersOptions): Members {
  const missing = (id: string): Result<never> =>
    refuse('member_not_found', `Member ${id.slice(0, 100)} not found. The member list shows all members.`);

  const viewOf = async (id: string): Promise<Result<MemberView>> => {
    const row = await repository.member(id);
    return row === null ? missing(id) : ok(show(row, true));
  };

  return {
    async list(asks: Principal) {
      const isAdmin = authorize(asks, 'members.manage', null).allowed;
      return { members: (await repository.members()).map((row) => show(row, isAdmin)) };
    },

    async change(id, change, by: Member, { address }) {
      const before = await repository.member(id);
      if (before === null) return missing(id);
      if ((await repository.changeMember(id, change)) === 'last_admin')
        return refuse('state_conflict', `${before.name} is the only active admin. Make another member admin first.`);
      const after = await repository.member(id);
      if (after === null) return missing(id);
      const note = { actor: auditActorOf(by), target: after.name, outcome: 'done', address } as const;
      if (after.role !== before.role)
        audit.record({ ...note, action: 'members.role_changed', detail: { from: before.role, to: after.role } });
      if (after.active !== before.active) audit.record({ ...note, action: after.active ? 'members.activated' : 'members.deactivated' });
      if (after.role !== before.role || after.active !== before.active) {
        await sessions.end({ memberId: id, except: null });
        await changed(id);
      }
      return await viewOf(id);
    },

    async signOut(id, by: Member, { address }) {
      const found = await repository.member(id);
      if (found === null) return missing(id);
      const ended = await sessions.end({ memberId: id, except: null });
      audit.record({
        actor: auditActorOf(by),
        action: 'sessions.ended',
        target: found.name,
        outcome: 'done',
        address,
        detail: { sessions: ended },
      });
      return await viewOf(id);
    },
  };
}

function show(row: MemberRow, isAdmin: boolean): MemberView {
  const { id, name, email, role, active, lastSeenAt, joinedAt, signIn } = row;
  return {
    id,
    name,
    ...(isAdmin ? { email } : {}),
    initials: initialsOf(name),
    role,
    active,
    last_seen: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
    joined_at: new Date(joinedAt).toISOString(),
    sign_in: signIn,
  };
}

interface ProfileOptions {
  readonly engine: AuthEngine;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly checks: PasswordChecks;
  readonly limits: SignInLimits;
  readonly audit: Audit;
  readonly view: SignInOptions['view'];
  readonly completeSignIn: CompleteSignIn;
}

/** Changes to one's own profile. The current password is required, because a browser may be unattended; attempts are limited. */
export function createProfile({ engine, repository, sessions, checks, limits, audit, view, completeSignIn }: ProfileOptions): Profile {
  return {
    async rename(member, { name }, { address }) {
      if ((await repository.rename(member.id, name)) === 'name_taken')
        return refuse('state_conflict', 'A member with this name exists. Add something to distinguish you, such as your family name.', {
          extra: { field: 'name' },
        });
      sessions.forget();
      audit.record({
        actor: auditActorOf(member),
        action: 'profile.name_changed',
        target: name,
        outcome: 'done',
        address,
        detail: { from: member.name, to: name },
      });
      return ok(view({ ...member, name }));
    },

    async changePassword(member, { current, next }, { address, network }) {
      const hash = await repository.passwordHash(member.id);
      if (hash === null) return refuse('state_conflict', 'You sign in through your identity provider and have no password here.');
      const strong = checkPassword(next, member);
      if (!strong.ok) return strong;
      const taken = await limits.take(member.email, network);
      if (!taken.ok) return taken;
      const changed = await checks.run(async () => {
        if (await engine.verify(hash, current)) return ok(await engine.hash(next));
        return refuse('sign_in_failed', 'The current password is wrong. Nothing was changed.');
      });
      const note = { actor: auditActorOf(member), action: 'profile.password_changed', target: member.name, address };
      if (!changed.ok) {
        audit.record({ ...note, outcome: 'failed', detail: { reason: changed.problem.code } });
        return changed;
      }
      await repository.setPassword(member.id, changed.value);
      await sessions.end({ memberId: member.id, except: null });
      audit.record({ ...note, outcome: 'done' });
      return completeSignIn(await engine.beginSession(member.id), null);
    },
  };
}
