import type { Member } from '#lib/access/principal.ts';
import type { Accounts, Caller } from '#lib/accounts/accounts.ts';
import {
  invitationListSchema,
  invitationSchema,
  invitedSchema,
  inviteSchema,
  joinLookSchema,
  joinOfferSchema,
  joinSchema,
  memberChangeSchema,
  memberListSchema,
  memberSchema,
  oidcBeginSchema,
  oidcBegunSchema,
  passwordChangeSchema,
  profileChangeSchema,
  sessionsEndedSchema,
  sessionViewSchema,
  signInSchema,
} from '#lib/contract/account.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { answer, answerJson } from '../answer.ts';
import { networkOf } from '../middleware/client-address.ts';
import type { ApiRequest } from '../request.ts';
import { named, routesOf } from '../route.ts';

/** Without accounts all but `GET /session` are `not_found`. */
const Session = named('Session', sessionViewSchema);
const SessionsEnded = named('SessionsEnded', sessionsEndedSchema);
const MemberView = named('Member', memberSchema);
const InvitationList = named('InvitationList', invitationListSchema);
named('Invitation', invitationSchema);
/** Checked before the body is parsed. */
export const TEAM = {
  unknown: 'not_found' as const,
  exists: ({ host }: Pick<ApiRequest, 'host'>) =>
    host.accounts === null ? refuse('not_found', 'This server has no accounts. Set AUTH=team to enable them.') : ok(null),
};
/** For actions of a signed-in person. */
export const MEMBER = {
  unknown: 'not_found' as const,
  exists: (request: Pick<ApiRequest, 'host' | 'principal'>) =>
    request.principal.kind === 'member' || request.host.accounts === null
      ? TEAM.exists(request)
      : refuse('sign_in_needed', 'This requires a signed-in person. Sign in.'),
};
const SETS_COOKIE = 'Sets the session cookie.';
const route = routesOf({ tag: 'accounts', parameter: 'The id of the member.' });

export const accountRoutes = [
  route(
    'GET /api/v1/session',
    'session.read',
    'getSession',
    'The caller and their permissions.',
    { response: Session },
    ({ host, principal }) => ok(host.accounts === null ? LOCAL_SESSION : host.accounts.view(principal)),
  ),
  route(
    'POST /api/v1/session',
    'session.begin',
    'signIn',
    `Sign in by e-mail address and password. ${SETS_COOKIE}`,
    { ...TEAM, body: named('SignIn', signInSchema), response: Session, problems: ['sign_in_failed', 'too_many_attempts'] },
    withAccounts(async (request, accounts) =>
      answerView(await accounts.sessions.signIn(request.body, memberOf(request), callerOf(request))),
    ),
  ),
  route(
    'DELETE /api/v1/session',
    'session.end',
    'signOut',
    'Sign out: ends this session.',
    { ...MEMBER, response: SessionsEnded },
    withMember(async (request, accounts, who, caller) => answerView(ok(await accounts.sessions.signOut(who, caller)))),
  ),
  route(
    'DELETE /api/v1/sessions',
    'profile.change',
    'signOutEverywhere',
    'Sign out everywhere: ends all your sessions.',
    { ...MEMBER, response: SessionsEnded },
    withMember(async (request, accounts, who, caller) => answerView(ok(await accounts.sessions.signOutEverywhere(who, caller)))),
  ),
  route(
    'POST /api/v1/session/oidc',
    'session.begin',
    'beginOidc',
    'Start a sign-in with the identity provider: returns the URL for the browser.',
    {
      ...TEAM,
      body: named('OidcBegin', oidcBeginSchema),
      response: named('OidcBegun', oidcBegunSchema),
      problems: ['too_many_attempts', 'state_conflict'],
    },
    withAccounts(async (request, accounts) => {
      const begun = await accounts.sessions.beginOidc(request.body.to, callerOf(request));
      return begun.ok ? answerView(ok({ view: begun.value.begun, cookies: begun.value.cookies })) : begun;
    }),
  ),
  route(
    'GET /api/v1/session/oidc/callback',
    'session.begin',
    'endOidc',
    `Where the identity provider sends the browser back to. ${SETS_COOKIE}`,
    { ...TEAM, openedFromElsewhere: true, response: { redirects: 'To a page, also when it failed.' } },
    withAccounts(async (request, accounts) => {
      const { to, cookies } = await accounts.sessions.endOidc(request.context.req.raw, memberOf(request), callerOf(request));
      return withCookies(answer(303, null, { location: to }), cookies);
    }),
  ),
  route(
    // The secret is in the body, since URLs are logged.
    'POST /api/v1/join/look',
    'session.begin',
    'lookAtJoin',
    'Describe an invitation link, without using it.',
    {
      ...TEAM,
      body: named('JoinLook', joinLookSchema),
      response: named('JoinOffer', joinOfferSchema),
      problems: ['invitation_invalid'],
    },
    withAccounts(({ body }, accounts) => accounts.joining.look(body.secret)),
  ),
  route(
    'POST /api/v1/join',
    'session.begin',
    'join',
    `Make an account by an invitation link, which is used up. ${SETS_COOKIE}`,
    {
      ...TEAM,
      body: named('Join', joinSchema),
      response: Session,
      problems: ['invitation_invalid', 'state_conflict', 'password_weak', 'too_many_attempts'],
    },
    withAccounts(async (request, accounts) => answerView(await accounts.joining.join(request.body, memberOf(request), callerOf(request)))),
  ),
  route(
    'PATCH /api/v1/profile',
    'profile.change',
    'changeProfile',
    'Change your name.',
    { ...MEMBER, body: named('ProfileChange', profileChangeSchema), response: Session, problems: ['state_conflict'] },
    withMember(({ body }, accounts, who, caller) => accounts.profile.rename(who, body, caller)),
  ),
  route(
    'POST /api/v1/profile/password',
    'profile.change',
    'changePassword',
    `Change the own password; all other sessions are over. ${SETS_COOKIE}`,
    {
      ...MEMBER,
      body: named('PasswordChange', passwordChangeSchema),
      response: Session,
      problems: ['sign_in_failed', 'password_weak', 'state_conflict', 'too_many_attempts'],
    },
    withMember(async (request, accounts, who, caller) => answerView(await accounts.profile.changePassword(who, request.body, caller))),
  ),
  route(
    'GET /api/v1/members',
    'members.read',
    'listMembers',
    'The members, by name; e-mail addresses for admins only.',
    { ...TEAM, response: named('MemberList', memberListSchema) },
    withAccounts(async ({ principal }, accounts) => ok(await accounts.members.list(principal))),
  ),
  route(
    'PATCH /api/v1/members/:id',
    'members.manage',
    'changeMember',
    'Change the role of a member, or deactivate them; ends their sessions. Not for the last admin.',
    {
      ...MEMBER,
      body: named('MemberChange', memberChangeSchema),
      response: MemberView,
      problems: ['member_not_found', 'state_conflict'],
    },
    withMember(({ parameter, body }, accounts, who, caller) => accounts.members.change(parameter, body, who, caller)),
  ),
  route(
    'POST /api/v1/members/:id/sign-out',
    'members.manage',
    'signOutMember',
    'End all sessions of a member.',
    { ...MEMBER, response: MemberView, problems: ['member_not_found'] },
    withMember(({ parameter }, accounts, who, caller) => accounts.members.signOut(parameter, who, caller)),
  ),
  route(
    'GET /api/v1/invitations',
    'members.manage',
    'listInvitations',
    'The open invitations, newest first.',
    { ...TEAM, response: InvitationList },
    withAccounts(async (_request, accounts) => ok(await accounts.invitations.list())),
  ),
  route(
    'POST /api/v1/invitations',
    'members.manage',
    'invite',
    'Create an invitation link with a role for one person. It is in this response only.',
    {
      ...MEMBER,
      body: named('Invite', inviteSchema),
      response: named('Invited', invitedSchema),
      problems: ['state_conflict'],
    },
    withMember(({ body }, accounts, who, caller) => accounts.invitations.invite(body, who, caller)),
  ),
  route(
    'DELETE /api/v1/invitations/:id',
    'members.manage',
    'withdrawInvitation',
    'Revoke an invitation, and return the open ones.',
    { ...MEMBER, parameter: 'The id of the invitation.', response: InvitationList, problems: ['invitation_not_found'] },
    withMember(({ parameter }, accounts, who, caller) => accounts.invitations.withdraw(parameter, who, caller)),
  ),
];

type Answer = Result<unknown> | Response;

/** @param make of a route with `...TEAM`, so that accounts exist */
export function withAccounts<Query, Body>(
  make: (request: ApiRequest<Query, Body>, accounts: Accounts) => Answer | Promise<Answer>,
): (request: ApiRequest<Query, Body>) => Answer | Promise<Answer> {
  return (request) => {
    const { accounts } = request.host;
    return accounts === null ? TEAM.exists(request) : make(request, accounts);
  };
}

/** @param make of a route with `...MEMBER`, so that a member is signed in */
export function withMember<Query, Body>(
  make: (request: ApiRequest<Query, Body>, accounts: Accounts, member: Member, caller: Caller) => Answer | Promise<Answer>,
): (request: ApiRequest<Query, Body>) => Answer | Promise<Answer> {
  return withAccounts((request, accounts) => {
    const who = memberOf(request);
    return who === null ? MEMBER.exists(request) : make(request, accounts, who, callerOf(request));
  });
}

/** Null for a token or nobody. */
export function memberOf({ principal }: Pick<ApiRequest, 'principal'>): Member | null {
  return principal.kind === 'member' ? principal : null;
}

export function callerOf(request: Pick<ApiRequest, 'address' | 'host' | 'header'>): Caller {
  const { address } = request;
  return { address, network: networkOf(address), origin: originOf(request) };
}

/** As people and clients see this server. */
export function originOf({ host, header }: Pick<ApiRequest, 'host' | 'header'>): string {
  return host.config.team?.publicUrl ?? `http://${header('host') ?? 'localhost'}`;
}

/** The fields besides the cookies, or only `view`. */
function answerView(result: Result<{ readonly cookies: readonly string[] }>): Answer {
  if (!result.ok) return result;
  const { cookies, ...rest } = result.value;
  return withCookies(answerJson(200, JSON.stringify('view' in rest ? rest.view : rest)), cookies);
}

function withCookies(answered: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) answered.headers.append('set-cookie', cookie);
  return answered;
}
