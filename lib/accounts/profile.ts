import { auditActorOf } from '#lib/access/actor-of.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { AccountRepository } from '#lib/store/account-store.ts';
import type { Profile } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { AuthEngine } from './auth-engine.ts';
import type { MemberSessions } from './member-sessions.ts';
import type { PasswordChecks } from './password-checks.ts';
import { checkPassword } from './password-rules.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { SignInOptions, Welcome } from './sign-in.ts';

export interface ProfileOptions {
  readonly engine: AuthEngine;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly checks: PasswordChecks;
  readonly limits: SignInLimits;
  readonly audit: Audit;
  readonly view: SignInOptions['view'];
  readonly welcome: Welcome;
}

/** Changes to one's own profile. The current password is required, because a browser may be unattended; attempts are limited. */
export function createProfile({ engine, repository, sessions, checks, limits, audit, view, welcome }: ProfileOptions): Profile {
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
      return welcome(await engine.beginSession(member.id), null);
    },
  };
}
