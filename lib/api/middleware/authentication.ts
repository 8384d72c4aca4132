import { authorize } from '#lib/access/authorize.ts';
import { auditActorOf } from '#lib/access/actor-of.ts';
import { isAdministrative, KEY_HOLDER, LOCAL_ADMIN, LOCAL_PERSON, STRANGER } from '#lib/access/principal.ts';
import type { KeyHolder, Principal } from '#lib/access/principal.ts';
import type { Accounts } from '#lib/accounts/accounts.ts';
import { ROLES } from '#lib/access/roles.ts';
import type { Action } from '#lib/contract/actions.ts';
import { AGENT_SCOPES } from '#lib/contract/oauth.ts';
import { MCP_PATH, OAUTH, toolsetPath } from '#lib/contract/paths.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { HostConfig } from '#lib/host/config.ts';
import { NOT_READY } from '../answer.ts';
import { headerOf, type RequestHead } from '../request.ts';
import { createRequestAudit } from './audit.ts';
import { type AdminGuard, type CountElsewhere, createAdminGuard, createBearerGuard } from './credentials.ts';
import { type ClientAddress, networkOf } from './client-address.ts';
import { pathOf } from './hosts.ts';

/**
 * Authentication and authorization of each request, and of each message in `/mcp`. Without accounts the caller is the local
 * person, with or without the admin token. With accounts: a bearer token, else a session cookie, else the admin token, else
 * nobody. What can go wrong:
 * - several credentials: `Authorization` takes precedence, so an invalid token is rejected without trying others; the admin
 *   token is checked only for actions beyond the person's permissions;
 * - cookies are shared by all ports of a host, so only a cookie signed by this server is valid
 *   (lib/accounts/session-cookie.ts);
 * - before the accounts are open nobody can be identified: only public routes are served.
 */
export interface Authentication {
  admit(request: RequestHead, action: Action, resource: string | null): Promise<Result<Principal>>;
}

/** @param name of what was attempted, and where */
type CountAttempt = (name: string, windowMs: number) => ReturnType<CountElsewhere>;

/** @param accounts of the host; null until it exists */
export function createAuthentication(
  { adminToken, team }: Pick<HostConfig, 'adminToken' | 'team'>,
  clientAddress: ClientAddress,
  accounts: () => Accounts | null,
  countAttempt: CountAttempt = () => null,
): Authentication {
  const admin = createAdminGuard(adminToken, undefined, (address, windowMs) => countAttempt(`admin token ${address}`, windowMs));
  return team === null
    ? createLocalAuthentication(admin, clientAddress)
    : createTeamAuthentication(admin, adminToken !== null, clientAddress, accounts, team.publicUrl, countAttempt);
}

function createLocalAuthentication(admin: AdminGuard, clientAddress: ClientAddress): Authentication {
  return {
    async admit(request, action, resource) {
      const decision = authorize(LOCAL_PERSON, action, resource);
      if (decision.allowed) return ok(LOCAL_PERSON);
      // Only now: each wrong token counts as a guess, so an unneeded one is not checked.
      const proven = admin.check(headerOf(request, 'x-admin-token'), clientAddress(request));
      if (!proven.ok) {
        const { problem } = proven;
        if (problem.code !== 'admin_token_invalid') return proven;
        return refuse(problem.code, problem.detail, { extra: { action, missing: decision.missing } });
      }
      const withRight = authorize(LOCAL_ADMIN, action, resource);
      return withRight.allowed ? ok(LOCAL_ADMIN) : refuse('request_refused', withRight.missing);
    },
  };
}

function createTeamAuthentication(
  admin: AdminGuard,
  hasAdminToken: boolean,
  clientAddress: ClientAddress,
  accounts: () => Accounts | null,
  publicUrl: string | null,
  countAttempt: CountAttempt,
): Authentication {
  const agents = createAgentChallenges(publicUrl);
  const audit = createRequestAudit(accounts, clientAddress);
  const bearer = createBearerGuard({
    countElsewhere: (address, windowMs) => countAttempt(`token ${address}`, windowMs),
    find: async (text) => (await accounts()?.tokens.find(text)) ?? { kind: 'unknown', token: null },
    addressOf: clientAddress,
    resourceOf: agents.resourceOf,
    onWrong({ kind, token }, request) {
      const actor = token === null ? auditActorOf(STRANGER) : { kind: 'token' as const, ...token };
      const address = clientAddress(request);
      accounts()?.audit.record({ actor, action: 'tokens.refused', target: null, outcome: 'refused', address, detail: { why: kind } });
    },
  });
  const identify = async (request: RequestHead, known: Accounts): Promise<Result<Principal>> =>
    (await bearer.check(request)) ?? ok((await known.memberOf(request.headers.cookie)) ?? STRANGER);

  const permit = (principal: Principal, request: RequestHead, action: Action, resource: string | null): Result<Principal> => {
    const elsewhere = refuseElsewhere(principal, request);
    if (elsewhere !== null) return elsewhere;
    const decision = authorize(principal, action, resource);
    if (decision.allowed) return ok(principal);
    const given = request.headers['x-admin-token'];
    if (given === undefined || !hasAdminToken) return refusalFor(principal, action, decision.missing);
    const proven = admin.check(String(given), networkOf(clientAddress(request)));
    if (!proven.ok) return proven;
    const isKnown = principal.kind === 'member' || principal.kind === 'token';
    const holder: KeyHolder = isKnown ? { kind: 'key', by: principal } : KEY_HOLDER;
    return authorize(holder, action, resource).allowed ? ok(holder) : refusalFor(principal, action, decision.missing);
  };

  const decide: Authentication['admit'] = async (request, action, resource) => {
    const known = accounts();
    if (known === null) return authorize(STRANGER, action, resource).allowed ? ok(STRANGER) : NOT_READY;
    const identified = await identify(request, known);
    if (!identified.ok) return identified;
    const permitted = permit(identified.value, request, action, resource);
    // Rejected administrative actions are audited too.
    if (!permitted.ok && isAdministrative(action))
      audit(request, identified.value, action, resource, 'refused', { code: permitted.problem.code });
    return permitted;
  };
  return { admit: async (request, action, resource) => agents.challenge(request, action, await decide(request, action, resource)) };
}

/** What a client of `/mcp` needs to sign in by OAuth: where the metadata are, and the missing scopes (RFC 9728, RFC 6750). */
function createAgentChallenges(publicUrl: string | null) {
  const originOf = ({ headers }: RequestHead): string => publicUrl ?? `http://${headers.host ?? 'localhost'}`;
  const pathOfAgents = (request: RequestHead): string | null => {
    const path = pathOf(request).replace(/\/$/, '');
    return path === MCP_PATH || path.startsWith(`${MCP_PATH}/`) ? path : null;
  };
  return {
    resourceOf(request: RequestHead): string | null {
      const path = pathOfAgents(request);
      return path === null ? null : `${originOf(request)}${path}`;
    },
    challenge(request: RequestHead, action: Action, outcome: Result<Principal>): Result<Principal> {
      const path = outcome.ok ? null : pathOfAgents(request);
      if (outcome.ok || path === null) return outcome;
      const { problem } = outcome;
      const needsScope = problem.extra?.['scope'] !== undefined;
      if (problem.code !== 'sign_in_needed' && !needsScope) return outcome;
      const error = needsScope ? 'insufficient_scope' : problem.extra?.['error'];
      const scope = needsScope ? [...new Set([...AGENT_SCOPES, action])] : AGENT_SCOPES;
      const challenge = [
        `Bearer resource_metadata="${originOf(request)}${OAUTH.protectedResource}${path}"`,
        'realm="switchboard"',
        ...(typeof error === 'string' ? [`error="${error}"`] : []),
        `scope="${scope.join(' ')}"`,
      ].join(', ');
      return { ok: false, problem: { ...problem, challenge } };
    },
  };
}

/** A token for a toolset: its fixed arguments could be avoided at every other address. */
function refuseElsewhere(principal: Principal, request: RequestHead): Result<never> | null {
  if (principal.kind !== 'token' || principal.toolset == null) return null;
  const address = toolsetPath(principal.toolset);
  return pathOf(request) === address ? null : refuse('not_allowed', `The token "${principal.name}" is limited to ${address}.`);
}

/** 401 if signing in may help, 403 if signed in. */
function refusalFor(principal: Principal, action: Action, missing: string): Result<never> {
  const lacksScope = principal.kind === 'token' && principal.oauth !== undefined && !principal.oauth.scopes.has(action);
  const extra = { action, missing, ...(lacksScope && ROLES[principal.role].has(action) ? { scope: action } : {}) };
  return refuse(principal.kind === 'stranger' ? 'sign_in_needed' : 'not_allowed', missing, { extra });
}
