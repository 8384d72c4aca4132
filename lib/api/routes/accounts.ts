import type { Member } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
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
import { auditExportQuerySchema, auditPageSchema, auditQuerySchema } from '#lib/contract/audit.ts';
import { AUDIT_COLUMNS, auditRow } from '#lib/contract/csv.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import { madeTokenSchema, makeTokenSchema, type Token, tokenListSchema, tokenSchema } from '#lib/contract/token.ts';
import { answer, answerJson } from '../answer.ts';
import { networkOf } from '../middleware/client-address.ts';
import type { ApiRequest, Needed } from '../request.ts';
import { type Answer, named, routesOf } from '../route.ts';
import { answerLines } from './export-lines.ts';

/** Without accounts all but `GET /session` are `not_found`. */
named('Invitation', invitationSchema);
const SETS_COOKIE = 'Sets the session cookie.';
const route = routesOf({ tag: 'accounts', parameter: 'The id of the member.' });

export const accountRoutes = [
  route('GET /api/v1/session', 'session.read', 'getSession', {
    summary: 'The caller and their permissions.',
    response: named('Session', sessionViewSchema),
    handle: ({ host, principal }) => ok(host.accounts === null ? LOCAL_SESSION : host.accounts.view(principal)),
  }),
  route('POST /api/v1/session', 'session.begin', 'signIn', {
    summary: `Sign in by e-mail address and password. ${SETS_COOKIE}`,
    needs: 'accounts',
    body: named('SignIn', signInSchema),
    response: sessionViewSchema,
    problems: ['sign_in_failed', 'too_many_attempts'],
    handle: async ({ body, accounts, member, caller }) => answerView(await accounts.sessions.signIn(body, member, caller)),
  }),
  route('DELETE /api/v1/session', 'session.end', 'signOut', {
    summary: 'Sign out: ends this session.',
    needs: 'member',
    response: named('SessionsEnded', sessionsEndedSchema),
    handle: async ({ accounts, member, caller }) => answerView(ok(await accounts.sessions.signOut(member, caller))),
  }),
  route('DELETE /api/v1/sessions', 'profile.change', 'signOutEverywhere', {
    summary: 'Sign out everywhere: ends all your sessions.',
    needs: 'member',
    response: sessionsEndedSchema,
    handle: async ({ accounts, member, caller }) => answerView(ok(await accounts.sessions.signOutEverywhere(member, caller))),
  }),
  route('POST /api/v1/session/oidc', 'session.begin', 'beginOidc', {
    summary: 'Start a sign-in with the identity provider: returns the URL for the browser.',
    needs: 'accounts',
    body: named('OidcBegin', oidcBeginSchema),
    response: named('OidcBegun', oidcBegunSchema),
    problems: ['too_many_attempts', 'state_conflict'],
    handle: async ({ body, accounts, caller }) => {
      const begun = await accounts.sessions.beginOidc(body.to, caller);
      return begun.ok ? answerView(ok({ view: begun.value.begun, cookies: begun.value.cookies })) : begun;
    },
  }),
  route('GET /api/v1/session/oidc/callback', 'session.begin', 'endOidc', {
    summary: `Where the identity provider sends the browser back to. ${SETS_COOKIE}`,
    needs: 'accounts',
    openedFromElsewhere: true,
    response: { redirects: 'To a page, also when it failed.' },
    handle: async ({ context, accounts, member, caller }) => {
      const { to, cookies } = await accounts.sessions.endOidc(context.req.raw, member, caller);
      return withCookies(answer(303, null, { location: to }), cookies);
    },
  }),
  // The secret is in the body, since URLs are logged.
  route('POST /api/v1/join/look', 'session.begin', 'lookAtJoin', {
    summary: 'Describe an invitation link, without using it.',
    needs: 'accounts',
    body: named('JoinLook', joinLookSchema),
    response: named('JoinOffer', joinOfferSchema),
    problems: ['invitation_invalid'],
    handle: ({ body, accounts }) => accounts.joining.look(body.secret),
  }),
  route('POST /api/v1/join', 'session.begin', 'join', {
    summary: `Make an account by an invitation link, which is used up. ${SETS_COOKIE}`,
    needs: 'accounts',
    body: named('Join', joinSchema),
    response: sessionViewSchema,
    problems: ['invitation_invalid', 'state_conflict', 'password_weak', 'too_many_attempts'],
    handle: async ({ body, accounts, member, caller }) => answerView(await accounts.joining.join(body, member, caller)),
  }),
  route('PATCH /api/v1/profile', 'profile.change', 'changeProfile', {
    summary: 'Change your name.',
    needs: 'member',
    body: named('ProfileChange', profileChangeSchema),
    response: sessionViewSchema,
    problems: ['state_conflict'],
    handle: ({ body, accounts, member, caller }) => accounts.profile.rename(member, body, caller),
  }),
  route('POST /api/v1/profile/password', 'profile.change', 'changePassword', {
    summary: `Change the own password; all other sessions are over. ${SETS_COOKIE}`,
    needs: 'member',
    body: named('PasswordChange', passwordChangeSchema),
    response: sessionViewSchema,
    problems: ['sign_in_failed', 'password_weak', 'state_conflict', 'too_many_attempts'],
    handle: async ({ body, accounts, member, caller }) => answerView(await accounts.profile.changePassword(member, body, caller)),
  }),
  route('GET /api/v1/members', 'members.read', 'listMembers', {
    summary: 'The members, by name; e-mail addresses for admins only.',
    needs: 'accounts',
    response: named('MemberList', memberListSchema),
    handle: async ({ principal, accounts }) => ok(await accounts.members.list(principal)),
  }),
  route('PATCH /api/v1/members/:id', 'members.manage', 'changeMember', {
    summary: 'Change the role of a member, or deactivate them; ends their sessions. Not for the last admin.',
    needs: 'member',
    body: named('MemberChange', memberChangeSchema),
    response: named('Member', memberSchema),
    problems: ['member_not_found', 'state_conflict'],
    handle: ({ parameter, body, accounts, member, caller }) => accounts.members.change(parameter, body, member, caller),
  }),
  route('POST /api/v1/members/:id/sign-out', 'members.manage', 'signOutMember', {
    summary: 'End all sessions of a member.',
    needs: 'member',
    response: memberSchema,
    problems: ['member_not_found'],
    handle: ({ parameter, accounts, member, caller }) => accounts.members.signOut(parameter, member, caller),
  }),
  route('GET /api/v1/invitations', 'members.manage', 'listInvitations', {
    summary: 'The open invitations, newest first.',
    needs: 'accounts',
    response: named('InvitationList', invitationListSchema),
    handle: async ({ accounts }) => ok(await accounts.invitations.list()),
  }),
  route('POST /api/v1/invitations', 'members.manage', 'invite', {
    summary: 'Create an invitation link with a role for one person. It is in this response only.',
    needs: 'member',
    body: named('Invite', inviteSchema),
    response: named('Invited', invitedSchema),
    problems: ['state_conflict'],
    handle: ({ body, accounts, member, caller }) => accounts.invitations.invite(body, member, caller),
  }),
  route('DELETE /api/v1/invitations/:id', 'members.manage', 'withdrawInvitation', {
    summary: 'Revoke an invitation, and return the open ones.',
    needs: 'member',
    parameter: 'The id of the invitation.',
    response: invitationListSchema,
    problems: ['invitation_not_found'],
    handle: ({ parameter, accounts, member, caller }) => accounts.invitations.withdraw(parameter, member, caller),
  }),
  route('GET /api/v1/tokens', 'tokens.manage', 'listTokens', {
    summary: 'Tokens of scripts and agents, newest first, without their secrets.',
    needs: 'accounts',
    response: named('TokenList', tokenListSchema),
    handle: async ({ accounts }) => ok(await accounts.tokens.list()),
  }),
  route('POST /api/v1/tokens', 'tokens.manage', 'makeToken', {
    summary: 'Create a token. Its secret is in this response only.',
    needs: 'member',
    body: named('MakeToken', makeTokenSchema),
    response: named('MadeToken', madeTokenSchema),
    problems: ['not_allowed', 'state_conflict'],
    handle: ({ body, accounts, member, caller }) => accounts.tokens.make(body, member, caller),
  }),
  route('DELETE /api/v1/tokens/:id', 'tokens.manage', 'revokeToken', {
    summary: 'Revoke a token: its next request is rejected, and its streams end.',
    parameter: 'The id of the token.',
    needs: 'member',
    response: named('Token', tokenSchema),
    problems: ['token_not_found'],
    handle: ({ parameter, accounts, member, caller }) => accounts.tokens.revoke(parameter, member, caller),
  }),
  route('GET /api/v1/profile/tokens', 'profile.change', 'listMyTokens', {
    summary: 'Your own tokens, and the clients that signed in as you.',
    needs: 'member',
    response: named('TokenList', tokenListSchema),
    handle: async ({ accounts, member }) => ok({ tokens: await tokensOf(accounts, member) }),
  }),
  route('DELETE /api/v1/profile/tokens/:id', 'profile.change', 'revokeMyToken', {
    summary: 'Revoke one of your own tokens or clients.',
    parameter: 'The id of the token.',
    needs: 'member',
    response: named('Token', tokenSchema),
    problems: ['token_not_found'],
    handle: async ({ parameter, accounts, member, caller }) =>
      (await tokensOf(accounts, member)).some(({ id }) => id === parameter)
        ? accounts.tokens.revoke(parameter, member, caller)
        : refuse('token_not_found', `You have no token ${parameter.slice(0, 100)}.`),
  }),
  route('GET /api/v1/audit', 'audit.read', 'listAudit', {
    summary: 'The audit log, newest first. A page of a search may have fewer entries than `limit` and still a next page.',
    needs: 'accounts',
    query: auditQuerySchema,
    response: named('AuditPage', auditPageSchema),
    handle: ({ query, accounts }) => accounts.audit.list(query),
  }),
  route('GET /api/v1/audit/export', 'audit.read', 'exportAudit', {
    summary: 'The audit log as a file: one JSON document per line, or CSV.',
    needs: 'accounts',
    audit: 'audit.read',
    query: auditExportQuerySchema,
    response: { mediaTypes: ['application/x-ndjson', 'text/csv'], description: 'One entry a line; `text/csv` with `format=csv`.' },
    handle: ({ query: { format, ...selection }, host, accounts }) =>
      answerLines({
        name: 'audit',
        format,
        columns: AUDIT_COLUMNS,
        row: auditRow,
        logger: host.logger,
        async read(place) {
          const page = await accounts.audit.list({ ...selection, ...place });
          return page.ok ? ok({ items: page.value.entries, next: page.value.next_cursor }) : page;
        },
      }),
  }),
];

/** @param address of the client, resolved through trusted proxies; '' if unknown */
export function findNeeded(
  needs: keyof Needed,
  { host, header, principal }: Pick<ApiRequest, 'host' | 'header' | 'principal'>,
  address: string,
): Result<Needed['accounts']> {
  const { accounts } = host;
  if (accounts === null) return refuse('not_found', 'This server has no accounts. Set AUTH=team to enable them.');
  const member = principal.kind === 'member' ? principal : null;
  if (needs === 'member' && member === null) return refuse('sign_in_needed', 'This requires a signed-in person. Sign in.');
  return ok({ accounts, member, caller: { address, network: networkOf(address), origin: originOf({ host, header }) } });
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

async function tokensOf(accounts: Accounts, { id }: Member): Promise<Token[]> {
  const { tokens } = await accounts.tokens.list();
  return tokens.filter(({ owner }) => owner.id === id);
}
