import { randomUUIDv7, timingSafeEqual } from 'node:crypto';
import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, TokenHolder } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/actions.ts';
import type { MadeToken, MakeToken, Token, TokenList } from '#lib/contract/token.ts';
import type { TokenRepository, TokenRow } from '#lib/store/account-store.ts';
import type { Audit } from './audit.ts';
import { hashToken, isTokenText, makeTokenText, shownToken } from './token-text.ts';

/**
 * API tokens. What can go wrong:
 * - the database leaks: it has only hashes of 238 random bits;
 * - timing attacks: lookups use the hash, which a client cannot control;
 * - a token is stolen: after revocation the next request is rejected and its streams close;
 * - the owner loses rights or is deactivated: a token never exceeds its owner's current role;
 * - every call needs a lookup: tokens are cached, and the last use is written asynchronously, at most once a minute.
 */
export interface Tokens {
  /** Newest first; inactive ones for LIMITS.tokensListedMs. */
  list(): Promise<TokenList>;
  make(asked: MakeToken, by: Member, caller: { readonly address: string | null }): Promise<Result<MadeToken>>;
  revoke(id: string, by: Member, caller: { readonly address: string | null }): Promise<Result<Token>>;
  /** Finds a token; one that was found before is cached. */
  find(text: string): Promise<FoundToken>;
  /** Whether a found token is still valid and unchanged. */
  isCurrent(holder: TokenHolder): Promise<boolean>;
  /** Called when an owner's role, name or activity changes. */
  ownerChanged(memberId: string): Promise<void>;
  /** Clears the cache: another server may have changed tokens. */
  forget(): void;
}

export type FoundToken =
  | { readonly kind: 'works'; readonly holder: TokenHolder }
  /** `token`: the matching one, or null. */
  | { readonly kind: 'unknown' | 'expired' | 'revoked' | 'owner_inactive' | 'wrong_audience'; readonly token: KnownToken | null };

export interface KnownToken {
  readonly id: string;
  /** Token and owner name, as in records. */
  readonly name: string;
}

export interface Owner {
  readonly name: string;
  readonly role: Role;
  readonly active: boolean;
}

export interface TokensOptions {
  readonly repository: TokenRepository;
  readonly audit: Pick<Audit, 'record'>;
  /** The current owner, or null. */
  ownerOf(memberId: string): Promise<Owner | null>;
  /** Called when a token ends or its rights change. */
  ended(tokenId: string): void;
  onError(error: unknown): void;
  now?(): number;
}

interface CachedToken {
  readonly row: TokenRow;
  readonly tools: ReadonlySet<string> | null;
  usedAt: number;
}

const DAY_MS = 86_400_000;
const USE_NOTED_MS = 60_000;
const MOST_CACHED = 1_000;

export function createTokens({ repository, audit, ownerOf, ended, onError, now = Date.now }: TokensOptions): Tokens {
  /** By hash. A row that was read before the last change is not kept. */
  const cache = new Map<string, CachedToken>();
  let changes = 0;

  function forget(): void {
    changes += 1;
    cache.clear();
  }

  async function cachedToken(hash: string): Promise<CachedToken | null> {
    const known = cache.get(hash);
    if (known !== undefined) return known;
    const before = changes;
    const row = await repository.findByHash(hash);
    if (row === null || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
    if (cache.size >= MOST_CACHED) cache.clear();
    const fresh: CachedToken = { row, tools: row.tools === null ? null : new Set(row.tools), usedAt: row.lastUsedAt ?? 0 };
    if (changes === before) cache.set(hash, fresh);
    return fresh;
  }

  async function stateOf(row: TokenRow): Promise<Token['state']> {
    if (row.revokedAt !== null) return 'revoked';
    if (row.expiresAt <= now()) return 'expired';
    return (await ownerOf(row.ownerId))?.active === true ? 'active' : 'owner_inactive';
  }

  async function show(row: TokenRow): Promise<Token> {
    const owner = await ownerOf(row.ownerId);
    const state = await stateOf(row);
    const { id, name, prefix, role } = row;
    return {
      id,
      name,
      client: null,
      prefix,
      owner: { id: row.ownerId, name: owner?.name ?? '' },
      role,
      effective_role: owner === null || state !== 'active' ? null : lowerRole(role, owner.role),
      tools: row.tools === null ? null : [...row.tools],
      toolset: row.toolset,
      state,
      created_at: iso(row.createdAt),
      expires_at: iso(row.expiresAt),
      last_used_at: row.lastUsedAt === null ? null : iso(row.lastUsedAt),
      revoked_at: row.revokedAt === null ? null : iso(row.revokedAt),
    };
  }

  function noteUse(one: CachedToken): void {
    const at = now();
    if (at - one.usedAt < USE_NOTED_MS) return;
    one.usedAt = at;
    repository.noteUse(one.row.id, at).catch(onError);
  }

  return {
    list: async () => ({ tokens: await Promise.all((await repository.list()).map(show)) }),

    async make(asked, by, { address }) {
      if (ROLE_NAMES.indexOf(asked.role) > ROLE_NAMES.indexOf(by.role))
        return refuse('not_allowed', `A token cannot exceed your role. Your role is ${by.role}; choose it or a lower one.`);
      const at = now();
      await repository.removeDead(at - LIMITS.tokensListedMs);
      const text = makeTokenText();
      const row: TokenRow = {
        id: randomUUIDv7(),
        hash: hashToken(text),
        prefix: shownToken(text),
        name: asked.name,
        ownerId: by.id,
        role: asked.role,
        tools: asked.tools === null ? null : [...new Set(asked.tools)].toSorted(),
        toolset: asked.toolset,
        createdAt: at,
        expiresAt: at + asked.expires_in_days * DAY_MS,
        lastUsedAt: null,
        revokedAt: null,
      };
      if ((await repository.insert(row)) === 'full')
        return refuse('state_conflict', `${LIMITS.tokensAtOnce} tokens are active, the maximum. Revoke an unused one.`);
      const detail = {
        role: row.role,
        tools: row.tools?.join(', ') ?? 'any',
        ...(row.toolset === null ? {} : { toolset: row.toolset }),
        days: asked.expires_in_days,
      };
      audit.record({
        actor: auditActorOf(by),
        action: 'tokens.made',
        target: row.name,
        outcome: 'done',
        address,
        detail: { id: row.id, ...detail },
      });
      return ok({ ...(await show(row)), token: text });
    },

    async revoke(id, by, { address }) {
      if ((await repository.get(id)) === null)
        return refuse('token_not_found', `Token ${id.slice(0, 100)} not found. The token list shows all tokens.`);
      const isNew = await repository.revoke(id, now());
      forget();
      if (isNew) ended(id);
      const row = await repository.get(id);
      if (row === null) return refuse('token_not_found', 'The token was deleted.');
      if (isNew) {
        const detail = { id, owner: (await ownerOf(row.ownerId))?.name ?? null };
        audit.record({ actor: auditActorOf(by), action: 'tokens.revoked', target: row.name, outcome: 'done', address, detail });
      }
      return ok(await show(row));
    },

    async find(text) {
      if (!isTokenText(text)) return { kind: 'unknown', token: null };
      const one = await cachedToken(hashToken(text));
      if (one === null) return { kind: 'unknown', token: null };
      const { row, tools } = one;
      const { id, name, ownerId } = row;
      const state = await stateOf(row);
      const owner = await ownerOf(ownerId);
      if (state !== 'active' || owner === null) {
        const shown = owner === null ? name : `${name} (${owner.name})`;
        return { kind: state === 'active' ? 'owner_inactive' : state, token: { id, name: shown } };
      }
      noteUse(one);
      return {
        kind: 'works',
        holder: { kind: 'token', id, name, ownerId, owner: owner.name, role: lowerRole(row.role, owner.role), tools, toolset: row.toolset },
      };
    },

    forget,

    async isCurrent(holder) {
      const row = await repository.get(holder.id);
      const owner = await ownerOf(holder.ownerId);
      return row !== null && owner !== null && (await stateOf(row)) === 'active' && lowerRole(row.role, owner.role) === holder.role;
    },

    async ownerChanged(memberId) {
      for (const { id, ownerId, revokedAt } of await repository.list()) if (ownerId === memberId && revokedAt === null) ended(id);
    },
  };
}

export function lowerRole(one: Role, other: Role): Role {
  return ROLE_NAMES.indexOf(one) <= ROLE_NAMES.indexOf(other) ? one : other;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
