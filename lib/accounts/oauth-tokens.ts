import { createHash, randomUUIDv7, timingSafeEqual } from 'node:crypto';
import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, OAuthLimits, TokenHolder } from '#lib/access/principal.ts';
import type { Action, Role } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { TokenAnswer } from '#lib/contract/oauth.ts';
import { ok, refuse as refuseRequest } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Token } from '#lib/contract/token.ts';
import type { OAuthGrantRow, OAuthRepository, OAuthTokenRow } from '#lib/store/account-store.ts';
import type { Caller } from './accounts.ts';
import type { Audit } from './audit.ts';
import { refuse } from './oauth-clients.ts';
import type { OAuthClient, OAuthOutcome } from './oauth-clients.ts';
import { ownResource, toolsetOf } from './oauth-requests.ts';
import { hashToken, isTokenText, makeTokenText } from './token-text.ts';
import { lowerRole } from './tokens.ts';
import type { FoundToken, Owner } from './tokens.ts';

/**
 * Grants of OAuth clients, with their codes and tokens. What can go wrong:
 * - a code or refresh token is stolen: each works once, and its second use revokes the grant with all its tokens;
 * - a client refreshes once for each parallel request whose access token had expired, as the official ones do: shortly after
 *   such requests a used refresh token works again;
 * - a code is injected into another client or session: it belongs to one client, redirect address and PKCE challenge;
 * - a token is replayed elsewhere: it has one audience, which lib/api compares with the address of the request;
 * - a grant is revoked: its next request is rejected and its streams close;
 * - every call needs a lookup: access tokens are cached, as tokens made by hand.
 */
export interface OAuthTokens {
  /** A new grant, with the code for its client. */
  grant(asked: NewGrant): Promise<Result<{ readonly id: string; readonly code: string }>>;
  /** The token endpoint. */
  exchange(form: Form, caller: Caller): Promise<OAuthOutcome<TokenAnswer>>;
  /** Revocation by the client (RFC 7009). Unknown tokens are no error. */
  giveUp(form: Form, caller: Caller): Promise<void>;
  find(text: string): Promise<FoundToken>;
  isCurrent(holder: TokenHolder): Promise<boolean>;
  /** Grants as tokens, newest first. */
  list(): Promise<readonly Token[]>;
  /** Null: there is no such grant. */
  revoke(id: string, by: Member, address: string | null): Promise<Token | null>;
  ownerChanged(memberId: string): Promise<void>;
  sweep(): Promise<void>;
  /** Clears the cache: another server may have changed tokens. */
  forget(): void;
}

export type Form = Readonly<Record<string, string>>;

export interface NewGrant {
  readonly client: OAuthClient;
  readonly member: Member;
  readonly role: Role;
  readonly scopes: readonly Action[];
  readonly tools: readonly string[] | null;
  readonly resource: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

export interface OAuthTokensOptions {
  readonly repository: OAuthRepository;
  readonly audit: Pick<Audit, 'record'>;
  ownerOf(memberId: string): Promise<Owner | null>;
  ended(grantId: string): void;
  onError(error: unknown): void;
  now?(): number;
}

interface CachedToken {
  readonly grant: OAuthGrantRow;
  readonly expiresAt: number;
  readonly tools: ReadonlySet<string> | null;
  readonly oauth: OAuthLimits;
  usedAt: number;
}

const USE_NOTED_MS = 60_000;
const MOST_CACHED = 1_000;
const USED_KNOWN_MS = 3_600_000;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export function createOAuthTokens({ repository, audit, ownerOf, ended, onError, now = Date.now }: OAuthTokensOptions): OAuthTokens {
  /** Access tokens by hash. A row that was read before the last change is not kept. */
  const cache = new Map<string, CachedToken>();
  let changes = 0;

  const forget = (): void => {
    changes += 1;
    cache.clear();
  };

  const cachedToken = async (hash: string): Promise<CachedToken | null> => {
    const known = cache.get(hash);
    if (known !== undefined) return known;
    const before = changes;
    const found = await repository.find(hash);
    if (found === null || found.token.kind !== 'access') return null;
    const { token, grant } = found;
    const { tools, scopes, resource } = grant;
    const fresh: CachedToken = {
      grant,
      expiresAt: token.expiresAt,
      tools: tools === null ? null : new Set(tools),
      oauth: { scopes: new Set(scopes), resource },
      usedAt: grant.lastUsedAt ?? 0,
    };
    if (cache.size >= MOST_CACHED) cache.clear();
    if (changes === before) cache.set(hash, fresh);
    return fresh;
  };

  const noteUse = (one: CachedToken): void => {
    const at = now();
    if (at - one.usedAt < USE_NOTED_MS) return;
    one.usedAt = at;
    repository.noteUse(one.grant.id, at).catch(onError);
  };

  const record = async (grant: OAuthGrantRow, action: string, address: string | null, detail: AuditDetail = {}): Promise<void> => {
    const owner = await ownerOf(grant.memberId);
    const actor = { kind: 'token' as const, id: grant.id, name: `${grant.clientName} (${owner?.name ?? ''})` };
    audit.record({ actor, action, target: grant.clientName, outcome: action === 'clients.reused' ? 'refused' : 'done', address, detail });
  };

  /** When a request of the grant was last refused for an expired access token. */
  const expired = new Map<string, number>();

  /** A token that was first used after this time works again. */
  const againSince = ({ kind, grantId }: OAuthTokenRow): number => {
    const again = now() - LIMITS.oauthRefreshAgainMs;
    return kind === 'refresh' && (expired.get(grantId) ?? 0) > again ? again : now();
  };

  /** True if it was not revoked before. */
  const end = async (grantId: string): Promise<boolean> => {
    const isNew = await repository.revoke(grantId, now());
    forget();
    if (isNew) ended(grantId);
    return isNew;
  };

  const reused = async (grant: OAuthGrantRow, kind: OAuthTokenRow['kind'], { address }: Caller): Promise<OAuthOutcome<never>> => {
    await end(grant.id);
    await record(grant, 'clients.reused', address, { kind });
    return refuse(
      'invalid_grant',
      `The ${kind === 'code' ? 'code' : 'refresh token'} was used before, so the client has to sign in again.`,
    );
  };

  const show = async (grant: OAuthGrantRow): Promise<Token> => {
    const owner = await ownerOf(grant.memberId);
    const { id, role, clientName: name, revokedAt, expiresAt } = grant;
    const state =
      revokedAt !== null ? 'revoked' : expiresAt <= now() ? 'expired' : owner?.active === true ? ('active' as const) : 'owner_inactive';
    return {
      id,
      name,
      client: { id: grant.clientId, host: grant.clientHost, scopes: [...grant.scopes] },
      prefix: 'OAuth',
      owner: { id: grant.memberId, name: owner?.name ?? '' },
      role,
      effective_role: owner === null || state !== 'active' ? null : lowerRole(role, owner.role),
      tools: grant.tools === null ? null : [...grant.tools],
      toolset: toolsetOf(grant.resource),
      state,
      created_at: iso(grant.createdAt),
      expires_at: iso(expiresAt),
      last_used_at: grant.lastUsedAt === null ? null : iso(grant.lastUsedAt),
      revoked_at: revokedAt === null ? null : iso(revokedAt),
    };
  };

  /** A code or refresh token that works, with its grant. */
  const take = async (form: Form, kind: 'code' | 'refresh', caller: Caller): Promise<OAuthOutcome<TakenToken>> => {
    const text = form[kind === 'code' ? 'code' : 'refresh_token'] ?? '';
    const name = kind === 'code' ? 'code' : 'refresh_token';
    if (text === '') return refuse('invalid_request', `${name} is missing.`);
    const found = isTokenText(text, kind === 'code' ? 'swc' : 'swr') ? await repository.find(hashToken(text)) : null;
    if (found === null || found.token.kind !== kind) return refuse('invalid_grant', `The ${name} is not known here, or has expired.`);
    const { token, grant } = found;
    if (grant.clientId !== form['client_id']) return refuse('invalid_grant', `The ${name} belongs to another client.`);
    if (token.usedAt !== null && token.usedAt <= againSince(token)) return reused(grant, kind, caller);
    if (grant.revokedAt !== null) return refuse('invalid_grant', 'Access was revoked. Sign in again.');
    if (token.expiresAt <= now()) return refuse('invalid_grant', `The ${name} has expired. Sign in again.`);
    if ((await ownerOf(grant.memberId))?.active !== true) return refuse('invalid_grant', 'The person is deactivated.');
    if (form['resource'] !== undefined && ownResource(form['resource'], caller.origin) !== grant.resource)
      return refuse('invalid_target', `The grant is for ${grant.resource}.`);
    return { ok: true, value: { token, grant } };
  };

  const issue = async (
    { token, grant }: TakenToken,
    action: 'clients.signed_in' | 'clients.refreshed',
    caller: Caller,
  ): Promise<OAuthOutcome<TokenAnswer>> => {
    const at = now();
    const grantUntil = at + LIMITS.oauthGrantMs;
    const access = makeTokenText(undefined, 'swo');
    const refresh = makeTokenText(undefined, 'swr');
    const row = (text: string, kind: 'access' | 'refresh', expiresAt: number): OAuthTokenRow => ({
      hash: hashToken(text),
      grantId: grant.id,
      kind,
      expiresAt,
      usedAt: null,
      redirectUri: null,
      challenge: null,
    });
    const next = [row(access, 'access', at + LIMITS.oauthAccessMs), row(refresh, 'refresh', grantUntil)];
    // Another request may have used it meanwhile.
    const use = { at, again: againSince(token) };
    if (!(await repository.exchange(token.hash, use, next, grantUntil))) return reused(grant, token.kind, caller);
    forget();
    await record(grant, action, caller.address);
    return {
      ok: true,
      value: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: LIMITS.oauthAccessMs / 1_000,
        refresh_token: refresh,
        scope: grant.scopes.join(' '),
      },
    };
  };

  return {
    async grant({ client, member, role, scopes, tools, resource, redirectUri, challenge }) {
      const at = now();
      const code = makeTokenText(undefined, 'swc');
      const row: OAuthGrantRow = {
        id: randomUUIDv7(),
        memberId: member.id,
        clientId: client.id,
        clientName: client.name,
        clientHost: client.host,
        role,
        scopes,
        tools: tools === null ? null : [...new Set(tools)].toSorted(),
        resource,
        createdAt: at,
        // Longer once the client has fetched its tokens.
        expiresAt: at + LIMITS.oauthCodeMs,
        lastUsedAt: null,
        revokedAt: null,
      };
      const codeRow: OAuthTokenRow = {
        hash: hashToken(code),
        grantId: row.id,
        kind: 'code',
        expiresAt: row.expiresAt,
        usedAt: null,
        redirectUri,
        challenge,
      };
      if ((await repository.insertGrant(row, codeRow, LIMITS.oauthGrantsPerMember)) === 'full')
        return refuseRequest(
          'state_conflict',
          `You have connected ${LIMITS.oauthGrantsPerMember} clients, the maximum. Ask an admin to revoke one.`,
        );
      return ok({ id: row.id, code });
    },

    async exchange(form, caller) {
      if (form['client_id'] === undefined) return refuse('invalid_client', 'client_id is missing.');
      switch (form['grant_type']) {
        case 'authorization_code': {
          const taken = await take(form, 'code', caller);
          if (!taken.ok) return taken;
          const { redirectUri, challenge } = taken.value.token;
          // PKCE binds the code to its request, so OAuth 2.1 has no redirect_uri here; RFC 6749 has the same one.
          if (form['redirect_uri'] !== undefined && form['redirect_uri'] !== redirectUri)
            return refuse('invalid_grant', 'redirect_uri is not the one of the authorization request.');
          if (!isVerified(form['code_verifier'] ?? '', challenge ?? ''))
            return refuse('invalid_grant', 'code_verifier does not match the code_challenge.');
          return issue(taken.value, 'clients.signed_in', caller);
        }
        case 'refresh_token': {
          const taken = await take(form, 'refresh', caller);
          if (!taken.ok) return taken;
          const beyond = (form['scope'] ?? '')
            .split(' ')
            .find((scope) => scope !== '' && !taken.value.grant.scopes.some((own) => own === scope));
          if (beyond !== undefined) return refuse('invalid_scope', `The grant does not have the scope ${beyond.slice(0, 60)}.`);
          return issue(taken.value, 'clients.refreshed', caller);
        }
        case undefined:
          return refuse('invalid_request', 'grant_type is missing.');
        default:
          return refuse('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
      }
    },

    async giveUp(form, { address }) {
      const text = form['token'] ?? '';
      if (!isTokenText(text, 'swo') && !isTokenText(text, 'swr')) return;
      const found = await repository.find(hashToken(text));
      if (found === null || found.grant.clientId !== form['client_id']) return;
      if (await end(found.grant.id)) await record(found.grant, 'clients.revoked', address);
    },

    async find(text) {
      if (!isTokenText(text, 'swo')) return { kind: 'unknown', token: null };
      const one = await cachedToken(hashToken(text));
      if (one === null) return { kind: 'unknown', token: null };
      const { grant, tools, oauth } = one;
      const { id, clientName: name, memberId: ownerId } = grant;
      const owner = await ownerOf(ownerId);
      const token = { id, name: owner === null ? name : `${name} (${owner.name})` };
      if (grant.revokedAt !== null) return { kind: 'revoked', token };
      if (one.expiresAt <= now()) {
        if (expired.size >= MOST_CACHED) expired.clear();
        expired.set(grant.id, now());
        return { kind: 'expired', token };
      }
      if (owner?.active !== true) return { kind: 'owner_inactive', token };
      noteUse(one);
      return {
        kind: 'works',
        holder: { kind: 'token', id, name, ownerId, owner: owner.name, role: lowerRole(grant.role, owner.role), tools, oauth },
      };
    },

    forget,

    async isCurrent(holder) {
      const grant = await repository.grant(holder.id);
      const owner = await ownerOf(holder.ownerId);
      if (grant === null || grant.revokedAt !== null || grant.expiresAt <= now()) return false;
      return owner?.active === true && lowerRole(grant.role, owner.role) === holder.role;
    },

    list: async () => Promise.all((await repository.grants()).map(show)),

    async revoke(id, by, address) {
      const grant = await repository.grant(id);
      if (grant === null) return null;
      if (await end(id)) {
        const detail = { id, owner: (await ownerOf(grant.memberId))?.name ?? null };
        audit.record({ actor: auditActorOf(by), action: 'clients.revoked', target: grant.clientName, outcome: 'done', address, detail });
      }
      return show((await repository.grant(id)) ?? grant);
    },

    async ownerChanged(memberId) {
      for (const grant of await repository.grants()) if (grant.memberId === memberId && grant.revokedAt === null) ended(grant.id);
    },

    sweep() {
      const at = now();
      // A used code is stored for a while to detect its reuse.
      return repository.sweep(at - USED_KNOWN_MS, at - LIMITS.tokensListedMs, at - LIMITS.oauthClientIdleMs);
    },
  };
}

interface TakenToken {
  readonly token: OAuthTokenRow;
  readonly grant: OAuthGrantRow;
}

function isVerified(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const right = Buffer.from(challenge);
  return made.length === right.length && timingSafeEqual(made, right);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
