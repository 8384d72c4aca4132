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
import { named, route } from '../route.ts';

/** Where there are no accounts all but `GET /session` are `not_found`. */
const Session = named('Session', sessionViewSchema);
const SessionsEnded = named('SessionsEnded', sessionsEndedSchema);
const MemberView = named('Member', memberSchema);
const InvitationList = named('InvitationList', invitationListSchema);
named('Invitation', invitationSchema);
/** Checked before the body is parsed. */
export const TEAM = {
  exists: ({ host }: Pick<ApiRequest, 'host'>) =>
    host.accounts === null ? refuse('not_found', 'There are no accounts here; AUTH=team turns them on.') : ok(null),
};
/** For what only a person does, signed in by a session. */
export const MEMBER = {
  exists: (request: Pick<ApiRequest, 'host' | 'principal'>) =>
    request.principal.kind === 'member' || request.host.accounts === null
      ? TEAM.exists(request)
      : refuse('sign_in_needed', 'This is done by people. Sign in.'),
};
const SETS_COOKIE = 'Sets the session cookie.';
const member = { tag: 'accounts', parameter: 'The id of the member.' } as const;

export const accountRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/session',
      action: 'session.read',
      id: 'getSession',
      summary: 'Who sends the request, and what they may do.',
      tag: 'accounts',
      response: Session,
    },
    ({ host, principal }) => ok(host.accounts === null ? LOCAL_SESSION : host.accounts.view(principal)),
  ),
  route(
    {
      ...TEAM,
      method: 'POST',
      path: '/api/v1/session',
      action: 'session.begin',
      id: 'signIn',
      summary: `Sign in by e-mail address and password. ${SETS_COOKIE}`,
      tag: 'accounts',
      body: named('SignIn', signInSchema),
      response: Session,
      problems: ['not_found', 'sign_in_failed', 'too_many_attempts'],
    },
    withAccounts(async (request, accounts) =>
      answerView(request, await accounts.sessions.signIn(request.body, memberOf(request), callerOf(request))),
    ),
  ),
  route(
    {
      ...MEMBER,
      method: 'DELETE',
      path: '/api/v1/session',
      action: 'session.end',
      id: 'signOut',
      summary: 'Sign out: this session is over.',
      tag: 'accounts',
      response: SessionsEnded,
      problems: ['not_found'],
    },
    withMember(async (request, accounts, who, caller) => answerEnded(request, await accounts.sessions.signOut(who, caller))),
  ),
  route(
    {
      ...MEMBER,
      method: 'DELETE',
      path: '/api/v1/sessions',
      action: 'profile.change',
      id: 'signOutEverywhere',
      summary: 'Sign out everywhere: all sessions of the own account are over.',
      tag: 'accounts',
      response: SessionsEnded,
      problems: ['not_found'],
    },
    withMember(async (request, accounts, who, caller) => answerEnded(request, await accounts.sessions.signOutEverywhere(who, caller))),
  ),
  route(
    {
      ...TEAM,
      method: 'POST',
      path: '/api/v1/session/oidc',
      action: 'session.begin',
      id: 'beginOidc',
      summary: 'Begin to sign in by the identity provider: the address to which the browser goes.',
      tag: 'accounts',
      body: named('OidcBegin', oidcBeginSchema),
      bodyOptional: true,
      response: named('OidcBegun', oidcBegunSchema),
      problems: ['not_found', 'too_many_attempts', 'state_conflict'],
    },
    withAccounts(async (request, accounts) => {
      const begun = await accounts.sessions.beginOidc(request.body.to, callerOf(request));
      return begun.ok ? answerWithCookies(request, begun.value.begun, begun.value.cookies) : begun;
    }),
  ),
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/session/oidc/callback',
      action: 'session.begin',
      openedFromElsewhere: true,
      id: 'endOidc',
      summary: `Where the identity provider sends the browser back to. ${SETS_COOKIE}`,
      tag: 'accounts',
      response: { redirects: 'To a page, also when it failed.' },
      problems: ['not_found'],
    },
    withAccounts(async (request, accounts) => {
      const { to, cookies } = await accounts.sessions.endOidc(request.context.req.raw, memberOf(request), callerOf(request));
      return answer(request.context, 303, null, { location: to, 'set-cookie': cookies });
    }),
  ),
  route(
    {
      ...TEAM,
      method: 'POST',
      path: '/api/v1/join/look',
      action: 'session.begin',
      id: 'lookAtJoin',
      // The secret is in the body, as addresses are kept in logs.
      summary: 'What an invitation link is for. Changes nothing.',
      tag: 'accounts',
      body: named('JoinLook', joinLookSchema),
      response: named('JoinOffer', joinOfferSchema),
      problems: ['not_found', 'invitation_invalid'],
    },
    withAccounts(({ body }, accounts) => accounts.joining.look(body.secret)),
  ),
  route(
    {
      ...TEAM,
      method: 'POST',
      path: '/api/v1/join',
      action: 'session.begin',
      id: 'join',
      summary: `Make an account by an invitation link, which is used up. ${SETS_COOKIE}`,
      tag: 'accounts',
      body: named('Join', joinSchema),
      response: Session,
      problems: ['not_found', 'invitation_invalid', 'state_conflict', 'password_weak', 'too_many_attempts'],
    },
    withAccounts(async (request, accounts) =>
      answerView(request, await accounts.joining.join(request.body, memberOf(request), callerOf(request))),
    ),
  ),
  route(
    {
      ...MEMBER,
      method: 'PATCH',
      path: '/api/v1/profile',
      action: 'profile.change',
      id: 'changeProfile',
      summary: 'Change the own name.',
      tag: 'accounts',
      body: named('ProfileChange', profileChangeSchema),
      response: Session,
      problems: ['not_found', 'state_conflict'],
    },
    withMember(({ body }, accounts, who, caller) => accounts.profile.rename(who, body, caller)),
  ),
  route(
    {
      ...MEMBER,
      method: 'POST',
      path: '/api/v1/profile/password',
      action: 'profile.change',
      id: 'changePassword',
      summary: `Change the own password; all other sessions are over. ${SETS_COOKIE}`,
      tag: 'accounts',
      body: named('PasswordChange', passwordChangeSchema),
      response: Session,
      problems: ['not_found', 'sign_in_failed', 'password_weak', 'state_conflict', 'too_many_attempts'],
    },
    withMember(async (request, accounts, who, caller) =>
      answerView(request, await accounts.profile.changePassword(who, request.body, caller)),
    ),
  ),
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/members',
      action: 'members.read',
      id: 'listMembers',
      summary: 'The members, by name; e-mail addresses for admins alone.',
      tag: 'accounts',
      response: named('MemberList', memberListSchema),
      problems: ['not_found'],
    },
    withAccounts(({ principal }, accounts) => ok(accounts.members.list(principal))),
  ),
  route(
    {
      ...MEMBER,
      ...member,
      method: 'PATCH',
      path: '/api/v1/members/:id',
      action: 'members.manage',
      id: 'changeMember',
      summary: 'Change the role of a member, or deactivate them; their sessions are over. Never the last admin.',
      body: named('MemberChange', memberChangeSchema),
      response: MemberView,
      problems: ['not_found', 'member_not_found', 'state_conflict'],
    },
    withMember(({ parameter, body }, accounts, who, caller) => accounts.members.change(parameter, body, who, caller)),
  ),
  route(
    {
      ...MEMBER,
      ...member,
      method: 'POST',
      path: '/api/v1/members/:id/sign-out',
      action: 'members.manage',
      id: 'signOutMember',
      summary: 'End all sessions of a member.',
      response: MemberView,
      problems: ['not_found', 'member_not_found'],
    },
    withMember(({ parameter }, accounts, who, caller) => accounts.members.signOut(parameter, who, caller)),
  ),
  route(
    {
      ...TEAM,
      method: 'GET',
      path: '/api/v1/invitations',
      action: 'members.manage',
      id: 'listInvitations',
      summary: 'The open invitations, newest first.',
      tag: 'accounts',
      response: InvitationList,
      problems: ['not_found'],
    },
    withAccounts((_request, accounts) => ok(accounts.invitations.list())),
  ),
  route(
    {
      ...MEMBER,
      method: 'POST',
      path: '/api/v1/invitations',
      action: 'members.manage',
      id: 'invite',
      summary: 'Make a link by which one person joins with a role. It is in this response and nowhere else.',
      tag: 'accounts',
      body: named('Invite', inviteSchema),
      response: named('Invited', invitedSchema),
      problems: ['not_found', 'state_conflict'],
    },
    withMember(({ body }, accounts, who, caller) => accounts.invitations.invite(body, who, caller)),
  ),
  route(
    {
      ...MEMBER,
      method: 'DELETE',
      path: '/api/v1/invitations/:id',
      action: 'members.manage',
      id: 'withdrawInvitation',
      summary: 'Withdraw an invitation; the response has those that are still open.',
      tag: 'accounts',
      parameter: 'The id of the invitation.',
      response: InvitationList,
      problems: ['not_found', 'invitation_not_found'],
    },
    withMember(({ parameter }, accounts, who, caller) => accounts.invitations.withdraw(parameter, who, caller)),
  ),
];

type Answer = Result<unknown> | Response;

/** @param make of a route with `...TEAM`, so that the accounts are there */
export function withAccounts<Query, Body>(
  make: (request: ApiRequest<Query, Body>, accounts: Accounts) => Answer | Promise<Answer>,
): (request: ApiRequest<Query, Body>) => Answer | Promise<Answer> {
  return (request) => {
    const { accounts } = request.host;
    return accounts === null ? TEAM.exists(request) : make(request, accounts);
  };
}

/** @param make of a route with `...MEMBER`, so that somebody is signed in */
export function withMember<Query, Body>(
  make: (request: ApiRequest<Query, Body>, accounts: Accounts, member: Member, caller: Caller) => Answer | Promise<Answer>,
): (request: ApiRequest<Query, Body>) => Answer | Promise<Answer> {
  return withAccounts((request, accounts) => {
    const who = memberOf(request);
    return who === null ? MEMBER.exists(request) : make(request, accounts, who, callerOf(request));
  });
}

/** Null: a token, or nobody has signed in. */
function memberOf({ principal }: Pick<ApiRequest, 'principal'>): Member | null {
  return principal.kind === 'member' ? principal : null;
}

function callerOf({ address, host, header }: Pick<ApiRequest, 'address' | 'host' | 'header'>): Caller {
  const origin = host.config.team?.publicUrl ?? `http://${header('host') ?? 'localhost'}`;
  return { address, network: networkOf(address), origin };
}

function answerWithCookies({ context }: Pick<ApiRequest, 'context'>, body: unknown, cookies: readonly string[]): Response {
  return answerJson(context, 200, JSON.stringify(body), { 'set-cookie': cookies });
}

function answerView(
  request: Pick<ApiRequest, 'context'>,
  result: Result<{ readonly view: unknown; readonly cookies: readonly string[] }>,
): Answer {
  return result.ok ? answerWithCookies(request, result.value.view, result.value.cookies) : result;
}

function answerEnded(
  request: Pick<ApiRequest, 'context'>,
  { ended, cookies }: { readonly ended: number; readonly cookies: readonly string[] },
): Response {
  return answerWithCookies(request, { ended }, cookies);
}
