import { randomUUIDv7 } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { genericOAuth } from 'better-auth/plugins';
import type { Member } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { personNameSchema } from '#lib/contract/account.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import { returnPath } from '#lib/contract/return-path.ts';
import { type AccountRepository, nameKey } from '#lib/store/account-store.ts';
import type { AccountSessions, Caller, OidcSettings } from './accounts.ts';
import type { Audit } from './audit.ts';
import type { MemberSessions } from './member-sessions.ts';
import { authOptions } from './auth-engine.ts';
import type { AuthEngineOptions } from './auth-engine.ts';
import { SESSION_COOKIE } from './session-cookie.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { CompleteSignIn } from './sign-in.ts';

/**
 * Sign-in with OpenID Connect (authorization code, PKCE, state, nonce) through better-auth. What can go wrong:
 * - the provider is slow or down: it is contacted only at sign-in, and passwords still work;
 * - an answer is forged, replayed or for another client: state, nonce, issuer, audience and signature are verified, and each
 *   state is valid once;
 * - the provider does not verify addresses: unverified e-mail addresses are ignored;
 * - someone registered another person's address: the password and sessions of an unverified account are deleted when the
 *   owner signs in through the provider;
 * - an unknown person signs in: only with a role from the configuration or an invitation;
 * - open redirects: the next page is a path of this server, or the overview.
 */
export interface OidcOptions {
  /** Null: no provider. */
  readonly settings: OidcSettings | null;
  readonly engineOptions: AuthEngineOptions;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly limits: SignInLimits;
  readonly audit: Audit;
  readonly completeSignIn: CompleteSignIn;
  joined(memberId: string): void;
}

export type OidcProblem =
  | 'oidc_unverified_email'
  | 'oidc_unknown_person'
  | 'oidc_inactive'
  | 'oidc_expired'
  | 'oidc_refused'
  | 'oidc_failed';

const PROVIDER = 'oidc';
const CALLBACK = `/auth/callback/${PROVIDER}`;
const STATE_COOKIE = `${SESSION_COOKIE}.state`;
const OUR_CODES: readonly OidcProblem[] = ['oidc_unverified_email', 'oidc_unknown_person', 'oidc_inactive'];
/** better-auth's messages for an unknown or used state. */
const EXPIRED = new Set(['state_mismatch', 'state_not_found', 'state_invalid']);
/** Origins of one server, one per loopback name. */
const MOST_ORIGINS = 4;

export function createOidc(options: OidcOptions): Pick<AccountSessions, 'beginOidc' | 'endOidc'> {
  const { settings, audit, limits, repository, completeSignIn } = options;
  const engines = new Map<string, ReturnType<typeof createProvider>>();

  const engineFor = (origin: string, oidc: OidcSettings): ReturnType<typeof createProvider> => {
    const known = engines.get(origin);
    if (known !== undefined) return known;
    if (engines.size >= MOST_ORIGINS) engines.clear();
    const made = createProvider(options, oidc, origin);
    engines.set(origin, made);
    return made;
  };

  const note = (outcome: 'done' | 'failed', { address }: Caller, member: Member | null, reason: string | null): void =>
    audit.record({
      actor:
        member === null ? { kind: 'stranger', id: null, name: settings?.name ?? '' } : { kind: 'member', id: member.id, name: member.name },
      action: 'session.signed_in',
      target: null,
      outcome,
      address,
      detail: { by: settings?.name ?? '', ...(reason === null ? {} : { reason }) },
    });

  return {
    async beginOidc(to, caller) {
      if (settings === null) return refuse('not_found', 'This server has no identity provider. Sign in with a password.');
      const taken = await limits.take(`provider ${caller.network}`, caller.network);
      if (!taken.ok) return taken;
      try {
        const { headers, response } = await engineFor(caller.origin, settings).api.signInSocial({
          body: {
            provider: PROVIDER,
            callbackURL: `/?to=${Buffer.from(returnPath(to)).toString('base64url')}`,
            errorCallbackURL: PAGES.signIn,
            disableRedirect: true,
          },
          headers: new Headers({ origin: caller.origin }),
          returnHeaders: true,
        });
        if (response.url !== undefined) return ok({ begun: { url: response.url }, cookies: stateCookies(headers) });
      } catch (error) {
        options.engineOptions.onError(`the provider did not answer (${error instanceof Error ? error.message : 'no reason given'})`);
      }
      engines.delete(caller.origin);
      return refuse('state_conflict', `${settings.name} cannot be reached. Try again, or sign in with a password.`);
    },

    async endOidc(request, held, caller) {
      if (settings === null) return { to: signInPage('oidc_failed'), cookies: [] };
      const { search } = new URL(request.url);
      const answer = await engineFor(caller.origin, settings).handler(
        new Request(`${caller.origin}${CALLBACK}${search}`, { headers: { cookie: request.headers.get('cookie') ?? '' } }),
      );
      const cookies = stateCookies(answer.headers);
      const location = new URL(answer.headers.get('location') ?? PAGES.signIn, caller.origin);
      const token = sessionToken(answer.headers);
      if (token === null) {
        const problem = problemOf(location.searchParams.get('error'));
        note('failed', caller, null, problem);
        return { to: signInPage(problem), cookies };
      }
      const signedIn = await completeSignIn(token, held);
      if (!signedIn.ok) return { to: signInPage('oidc_inactive'), cookies };
      const { person } = signedIn.value.view;
      const member = person === null ? null : await repository.member(person.id);
      audit.record({
        actor: { kind: 'member', id: member?.id ?? null, name: member?.name ?? '' },
        action: 'session.signed_in',
        target: null,
        outcome: 'done',
        address: caller.address,
        detail: { by: settings.name },
      });
      const to = Buffer.from(location.searchParams.get('to') ?? '', 'base64url').toString();
      return { to: returnPath(to), cookies: [...cookies, ...signedIn.value.cookies] };
    },
  };
}

function createProvider({ engineOptions, repository, sessions, audit, joined }: OidcOptions, oidc: OidcSettings, origin: string) {
  const common = authOptions(engineOptions);
  const roleFor = async (email: string) => (await repository.invitationFor(email, Date.now()))?.role ?? oidc.role;

  return betterAuth({
    ...common,
    baseURL: origin,
    trustedOrigins: [origin],
    onAPIError: { errorURL: PAGES.signIn },
    user: {
      ...common.user,
      /** Runs before anything is written; returns the redirect target. */
      validateUserInfo: async ({ user, source }): Promise<{ error: OidcProblem } | undefined> => {
        const email = user.email?.toLowerCase() ?? '';
        if (user.emailVerified !== true) return { error: 'oidc_unverified_email' };
        const known = await repository.memberByEmail(email);
        if (known !== null && !known.active) return { error: 'oidc_inactive' };
        if (source.action === 'create-user' && ((await repository.memberCount()) === 0 || (await roleFor(email)) === null))
          return { error: 'oidc_unknown_person' };
        return undefined;
      },
    },
    account: {
      ...common.account,
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
    },
    databaseHooks: {
      ...common.databaseHooks,
      user: {
        create: {
          before: async (user) => {
            const role = await roleFor(user.email);
            if (role === null) return false;
            const name = await freeName(repository, user.name, user.email);
            return { data: { ...user, name, nameKey: nameKey(name), role, active: true, signInBy: 'oidc' } };
          },
          after: async (user) => {
            const invitation = await repository.invitationFor(user.email, Date.now());
            if (invitation !== null) await repository.removeLink(invitation.id);
            joined(user.id);
            audit.record({
              actor: { kind: 'member', id: user.id, name: user.name },
              action: 'invitations.accepted',
              target: user.name,
              outcome: 'done',
              address: null,
              detail: { by: oidc.name, email: user.email, invited_by: invitation?.invitedBy ?? null },
            });
          },
        },
      },
      account: {
        create: {
          /** The provider's tokens are used once and not stored. */
          before: async (account) => ({ data: { ...account, accessToken: null, refreshToken: null, idToken: null, scope: null } }),
          after: async ({ userId }) => {
            const ended = await repository.claim(userId);
            if (ended === null) return;
            sessions.ended(ended);
            const name = (await repository.member(userId))?.name ?? '';
            audit.record({
              actor: { kind: 'member', id: userId, name },
              action: 'profile.password_changed',
              target: name,
              outcome: 'done',
              address: null,
              detail: { by: oidc.name, reason: 'the provider verified the address for the first time' },
            });
          },
        },
      },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: PROVIDER,
            name: oidc.name,
            discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
            clientId: oidc.clientId,
            clientSecret: oidc.clientSecret,
            redirectURI: `${origin}${API.oidcCallback}`,
            scopes: ['openid', 'email', 'profile'],
            pkce: true,
            requireIdTokenVerification: true,
            // Without an ID token nothing is signed, so nobody is identified.
            accountSubject: ({ tokens, profile }) => (tokens.idToken ? String(profile['sub'] ?? '') : ''),
          },
        ],
      }),
    ],
  });
}

/** The provider's name, normalised and unique. */
async function freeName(repository: AccountRepository, given: string, email: string): Promise<string> {
  const [account = 'member'] = email.split('@');
  const plain = given
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, LIMITS.personNameLength - 8)
    .trim();
  const name = personNameSchema.safeParse(plain).success ? plain : account.slice(0, LIMITS.personNameLength - 8);
  if (await repository.isNameFree(name, null)) return name;
  for (let number = 2; number < 1_000; number += 1) {
    const numbered = `${name} (${number})`;
    if (await repository.isNameFree(numbered, null)) return numbered;
  }
  return randomUUIDv7();
}

function problemOf(error: string | null): OidcProblem {
  const ours = OUR_CODES.find((code) => code === error);
  if (ours !== undefined) return ours;
  // Other protections of better-auth that would prevent it are off.
  if (error === 'account_not_linked') return 'oidc_unverified_email';
  if (error !== null && EXPIRED.has(error)) return 'oidc_expired';
  return error === 'access_denied' ? 'oidc_refused' : 'oidc_failed';
}

function signInPage(problem: OidcProblem): string {
  return `${PAGES.signIn}?problem=${problem}`;
}

/** Of better-auth's cookies only the one that binds the state to this browser is sent. */
function stateCookies(headers: Headers): string[] {
  return headers.getSetCookie().filter((cookie) => cookie.startsWith(`${STATE_COOKIE}=`));
}

/** Only the token of better-auth's session cookie is used; the cookie is our own. */
function sessionToken(headers: Headers): string | null {
  for (const cookie of headers.getSetCookie()) {
    const [, token = ''] = /^__Host-switchboard\.session_token=([A-Za-z0-9]+)\./.exec(cookie) ?? [];
    if (token !== '') return token;
  }
  return null;
}
