import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, Principal } from '#lib/access/principal.ts';
import type { SessionView, SignIn } from '#lib/contract/account.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { AccountRepository } from '#lib/store/account-store.ts';
import type { AccountSessions, Caller, SignedIn } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { AuthEngine } from './auth-engine.ts';
import type { MemberSessions } from './member-sessions.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SignInLimits } from './sign-in-limits.ts';

/**
 * Sign-in and sign-out. What can go wrong:
 * - password guessing: attempts are limited per account and address before any lookup, and few are checked at a time;
 * - account enumeration: unknown, inactive and wrong get the same answer, and a password is hashed for each;
 * - session fixation: each sign-in creates a new session and ends the previous one.
 */
export interface SignInOptions {
  readonly engine: AuthEngine;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly cookie: SessionCookie;
  readonly checks: PasswordChecks;
  readonly limits: SignInLimits;
  readonly audit: Audit;
  view(principal: Principal): SessionView;
}

/** Completes a sign-in of any method. */
export type CompleteSignIn = (token: string, held: Member | null) => Promise<Result<SignedIn>>;

const ACCOUNT_SHOWN = 254;

export function createSignInCompletion({ sessions, cookie, view }: Pick<SignInOptions, 'sessions' | 'cookie' | 'view'>): CompleteSignIn {
  return async (token, held) => {
    if (held !== null) await sessions.end({ id: held.sessionId });
    const member = await sessions.find(token);
    if (member === null) return refuseSignIn();
    await sessions.tidy(member.id);
    return ok({ view: view(member), cookies: [cookie.write(token)] });
  };
}

export function createSignIn(
  options: SignInOptions,
  completeSignIn: CompleteSignIn,
): Pick<AccountSessions, 'signIn' | 'signOut' | 'signOutEverywhere'> {
  const { engine, repository, sessions, cookie, checks, limits, audit } = options;

  return {
    async signIn({ email, password }: SignIn, held: Member | null, { address, network }: Caller) {
      const account = email.slice(0, ACCOUNT_SHOWN);
      const note = async (outcome: 'done' | 'failed' | 'refused', reason: string | null): Promise<void> => {
        const found = outcome === 'done' ? await repository.memberByEmail(email) : null;
        audit.record({
          actor: found === null ? { kind: 'stranger', id: null, name: account } : { kind: 'member', id: found.id, name: found.name },
          action: 'session.signed_in',
          target: null,
          outcome,
          address,
          ...(reason === null ? {} : { detail: { reason } }),
        });
      };
      const taken = await limits.take(account, network);
      if (!taken.ok) {
        await note('refused', 'too many attempts');
        return taken;
      }
      const checked = await checks.run(async () => ok(await engine.signIn(email, password)));
      if (!checked.ok) return checked;
      const signedIn = checked.value === null ? refuseSignIn() : await completeSignIn(checked.value, held);
      await note(signedIn.ok ? 'done' : 'failed', signedIn.ok ? null : 'e-mail address or password');
      return signedIn;
    },

    async signOut(member, { address }) {
      const ended = await sessions.end({ id: member.sessionId });
      audit.record({ actor: auditActorOf(member), action: 'session.signed_out', target: null, outcome: 'done', address });
      return { ended, cookies: [cookie.gone] };
    },

    async signOutEverywhere(member, { address }) {
      const ended = await sessions.end({ memberId: member.id, except: null });
      audit.record({
        actor: auditActorOf(member),
        action: 'sessions.ended',
        target: member.name,
        outcome: 'done',
        address,
        detail: { sessions: ended },
      });
      return { ended, cookies: [cookie.gone] };
    },
  };
}

function refuseSignIn(): Result<never> {
  return refuse('sign_in_failed', 'The e-mail address or password is wrong, or the account is inactive.');
}
