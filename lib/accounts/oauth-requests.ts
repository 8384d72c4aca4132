import { auditActorOf } from '#lib/access/actor-of.ts';
import { scopesOf } from '#lib/access/authorize.ts';
import type { Member } from '#lib/access/principal.ts';
import { type Action, type Role, ROLE_NAMES } from '#lib/contract/actions.ts';
import type { AuthorizeQuery, ConsentDecided, ConsentRequest, ConsentView, OAuthError } from '#lib/contract/oauth.ts';
import { MCP_PATH } from '#lib/contract/paths.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Caller } from './accounts.ts';
import type { Audit } from './audit.ts';
import { isLoopback, isRegistered, type OAuthClient, type OAuthClients, redirectTo, shownTarget } from './oauth-clients.ts';
import type { OAuthTokens } from './oauth-tokens.ts';

/**
 * Authorization requests of OAuth clients, and the decisions of people. Requests are not stored: each step validates them again.
 * What can go wrong:
 * - an open redirect: nothing is redirected until client and redirect address are verified;
 * - another site makes a signed-in person allow a client: the decision is JSON of our own page, which no other site can send;
 * - a mix-up of servers: each answer names this one (`iss`, RFC 9207);
 * - a downgrade: PKCE with S256 is required, and the audience is one of ours.
 */
export type RequestCheck =
  | { readonly kind: 'valid'; readonly request: ValidRequest }
  /** The client gets this error. */
  | { readonly kind: 'returned'; readonly to: string }
  /** Its document is fetched after the sign-in. */
  | { readonly kind: 'unread' }
  /** Shown to the person, because no redirect address is trusted. */
  | { readonly kind: 'refused'; readonly error: OAuthError };

export interface ValidRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  /** Null: none were named. */
  readonly scopes: readonly Action[] | null;
  readonly state: string | undefined;
}

export interface OAuthRequests {
  check(query: AuthorizeQuery, mayRead: boolean, caller: Caller): Promise<RequestCheck>;
  look(query: AuthorizeQuery, member: Member, caller: Caller): Promise<Result<ConsentView>>;
  decide(asked: ConsentRequest, member: Member, caller: Caller): Promise<Result<ConsentDecided>>;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const ALL_SCOPES: ReadonlySet<string> = new Set(scopesOf('admin'));
/** Scopes that clients often request too; each grant includes refresh tokens. */
const NO_SCOPES: ReadonlySet<string> = new Set(['offline_access', 'openid', 'profile', 'email']);

/** @param path `/mcp`, or below it */
export function resourceAt(origin: string, path: string): string {
  return `${origin}${path}`;
}

/** The normal form of a resource indicator for this server; null for another one. */
export function ownResource(asked: string | undefined, origin: string): string | null {
  if (asked === undefined || asked === '') return resourceAt(origin, MCP_PATH);
  const url = URL.canParse(asked) ? new URL(asked) : null;
  if (url === null || url.origin !== new URL(origin).origin || url.search !== '' || asked.includes('#')) return null;
  const path = url.pathname.replace(/\/$/, '');
  return /^\/mcp(?:\/[\w.~-]{1,64})?$/.test(path) ? resourceAt(origin, path) : null;
}

/** The toolset of this address; null for `/mcp`. */
export function toolsetOf(resource: string): string | null {
  const [, name = null] = /\/mcp\/([^/]+)$/.exec(resource) ?? [];
  return name;
}

export function createOAuthRequests({
  clients,
  tokens,
  audit,
}: {
  readonly clients: OAuthClients;
  readonly tokens: OAuthTokens;
  readonly audit: Pick<Audit, 'record'>;
}): OAuthRequests {
  const check: OAuthRequests['check'] = async (query, mayRead, { origin }) => {
    const { client_id: id, redirect_uri: asked } = query;
    const refused = (error_description: string, error: OAuthError['error'] = 'invalid_request'): RequestCheck => ({
      kind: 'refused',
      error: { error, error_description },
    });
    if (id === undefined || id === '') return refused('The request has no client_id.');
    const found = await clients.find(id, mayRead);
    if (!found.ok) return found.kind === 'unread' ? { kind: 'unread' } : refused(found.why, 'invalid_client');
    const { client } = found;
    const [only] = client.redirectUris;
    const redirectUri = asked ?? (client.redirectUris.length === 1 ? only : undefined);
    if (redirectUri === undefined) return refused('The request has no redirect_uri, and the client has several.');
    if (!isRegistered(client.redirectUris, redirectUri))
      return refused(`The redirect_uri of the request is not one of the client “${client.name}”.`);
    const { state } = query;
    const returned = (error: OAuthError['error'], error_description: string): RequestCheck => ({
      kind: 'returned',
      to: redirectTo(redirectUri, { error, error_description, state, iss: origin }),
    });
    if (query.response_type !== 'code') return returned('unsupported_response_type', 'response_type must be code.');
    if (query.code_challenge === undefined) return returned('invalid_request', 'code_challenge is missing; PKCE is required.');
    if (query.code_challenge_method !== 'S256') return returned('invalid_request', 'code_challenge_method must be S256.');
    if (!CHALLENGE.test(query.code_challenge)) return returned('invalid_request', 'code_challenge is not a SHA-256 in base64url.');
    const resource = ownResource(query.resource, origin);
    if (resource === null) return returned('invalid_target', `resource must be ${resourceAt(origin, MCP_PATH)}.`);
    const scopes = readScopes(query.scope);
    if (scopes?.length === 0) return returned('invalid_scope', 'None of the scopes exist here.');
    return { kind: 'valid', request: { client, redirectUri, challenge: query.code_challenge, resource, scopes, state } };
  };

  const checked = async (query: AuthorizeQuery, caller: Caller): Promise<Result<ValidRequest>> => {
    const outcome = await check(query, true, caller);
    switch (outcome.kind) {
      case 'valid':
        return ok(outcome.request);
      case 'refused':
        return refuse('request_malformed', outcome.error.error_description);
      case 'returned':
        return refuse('request_malformed', new URL(outcome.to).searchParams.get('error_description') ?? 'The request is not valid.');
      case 'unread':
        return refuse('request_malformed', 'Unknown client.');
    }
  };

  return {
    check,
    async look(query, member, caller) {
      const request = await checked(query, caller);
      if (!request.ok) return request;
      const { client, redirectUri, resource, scopes } = request.value;
      const own = ROLE_NAMES.slice(0, ROLE_NAMES.indexOf(member.role) + 1).map((role) => ({ role, scopes: [...given(role, scopes)] }));
      // Omits roles that give the client no more than a lower one.
      const roles = own.filter((one, at) => at === 0 || one.scopes.length > (own[at - 1]?.scopes.length ?? 0));
      return ok({
        client: { id: client.id, name: client.name, host: client.host, uri: client.uri },
        redirect: shownTarget(redirectUri),
        is_on_this_computer: isLoopback(redirectUri),
        resource,
        roles,
        suggested: suggestedRole(roles, member.role, scopes),
      });
    },

    async decide({ request: query, allow, role = 'viewer', tools }, member, caller) {
      const request = await checked(query, caller);
      if (!request.ok) return request;
      const { client, redirectUri, challenge, resource, scopes, state } = request.value;
      const entry = { actor: auditActorOf(member), target: client.name, address: caller.address };
      const about = { client: client.id.slice(0, 500), redirect: shownTarget(redirectUri) };
      if (!allow) {
        audit.record({ ...entry, action: 'clients.denied', outcome: 'done', detail: about });
        const denied = { error: 'access_denied', error_description: 'The person denied access.', state, iss: caller.origin };
        return ok({ redirect_to: redirectTo(redirectUri, denied) });
      }
      if (ROLE_NAMES.indexOf(role) > ROLE_NAMES.indexOf(member.role))
        return refuse('not_allowed', `A client cannot exceed your role. Your role is ${member.role}; choose it or a lower one.`);
      const allowed = given(role, scopes);
      const made = await tokens.grant({ client, member, role, scopes: allowed, tools, resource, redirectUri, challenge });
      if (!made.ok) return made;
      const detail = { ...about, grant: made.value.id, role, tools: tools?.join(', ') ?? 'any', scopes: allowed.join(' ') };
      audit.record({ ...entry, action: 'clients.allowed', outcome: 'done', detail });
      return ok({ redirect_to: redirectTo(redirectUri, { code: made.value.code, state, iss: caller.origin }) });
    },
  };
}

/** Null: none were named. Unknown ones are ignored (RFC 6749 §3.3). */
function readScopes(scope: string | undefined): readonly Action[] | null {
  const named = (scope ?? '').split(' ').filter((one) => one !== '');
  const known = named.filter(isScope);
  return known.length === 0 && named.every((one) => NO_SCOPES.has(one)) ? null : [...new Set(known)];
}

function isScope(name: string): name is Action {
  return ALL_SCOPES.has(name);
}

function given(role: Role, asked: readonly Action[] | null): readonly Action[] {
  const all = scopesOf(role);
  return asked === null ? all : all.filter((scope) => asked.includes(scope));
}

/** Without scopes: the role that may call tools, which most agents need. */
function suggestedRole(roles: ConsentView['roles'], own: Role, scopes: readonly Action[] | null): Role {
  const requestedRole: Role =
    scopes === null ? 'operator' : (ROLE_NAMES.find((role) => scopes.every((scope) => scopesOf(role).includes(scope))) ?? own);
  return roles.some(({ role }) => role === requestedRole) ? requestedRole : (roles.at(-1)?.role ?? own);
}
