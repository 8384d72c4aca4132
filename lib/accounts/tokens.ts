import { randomUUIDv7, timingSafeEqual } from 'node:crypto';
import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, TokenHolder } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { ROLE_NAMES } from '#lib/contract/roles.ts';
import type { Role } from '#lib/contract/roles.ts';
import type { MadeToken, MakeToken, Token, TokenList } from '#lib/contract/token.ts';
import type { TokenRepository, TokenRow } from '#lib/store/team-store.ts';
import type { Audit } from './audit.ts';
import { hashToken, isTokenText, makeTokenText, shownToken } from './token-text.ts';

/**
 * Tokens of the API. What can go wrong, and what is done:
 * - the database or a backup of it is read by somebody: it has only hashes of 238 random bits, which lead to no token;
 * - a token is guessed by how long a look-up takes: what is looked up is its hash, which nobody can steer;
 * - a token is stolen: it is revoked, and is not known at the very next request, its open streams are ended;
 * - its owner may less than when it was made, or is gone: it never may more than he may now, and nothing without him;
 * - looking it up stands on the path of every call: it is known from memory, and its last use is written at most once a
 *   minute and beside the request.
 */
export interface Tokens {
  /** Newest first; those that work no more for LIMITS.tokensListedMs. */
  list(): TokenList;
  make(asked: MakeToken, by: Member, caller: { readonly address: string | null }): Promise<Result<MadeToken>>;
  revoke(id: string, by: Member, caller: { readonly address: string | null }): Promise<Result<Token>>;
  /** Whose token a text is. Never waits. */
  find(text: string): FoundToken;
  /** Whether it is still what it was when it was found. */
  isCurrent(holder: TokenHolder): boolean;
  /** A member has another role, another name, or may not sign in any more. */
  ownerChanged(memberId: string): void;
}

export type FoundToken =
  | { readonly kind: 'works'; readonly holder: TokenHolder }
  /** `token`: which one it was; null when there is none like it. */
  | { readonly kind: 'unknown' | 'expired' | 'revoked' | 'owner_inactive'; readonly token: KnownToken | null };

export interface KnownToken {
  readonly id: string;
  /** With that of its owner, as histories have it. */
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
  /** As he is now; null: there is none. Never waits. */
  ownerOf(memberId: string): Owner | null;
  /** A token counts no more, or may something else from now on. */
  ended(tokenId: string): void;
  onError(error: unknown): void;
  now?(): number;
}

interface Kept {
  readonly row: TokenRow;
  readonly tools: ReadonlySet<string> | null;
  usedAt: number;
}

const DAY_MS = 86_400_000;
const USE_NOTED_MS = 60_000;
const MOST_KEPT = 1_000;

export function createTokens({ repository, audit, ownerOf, ended, onError, now = Date.now }: TokensOptions): Tokens {
  /** By hash. */
  const kept = new Map<string, Kept>();

  function keptOf(hash: string): Kept | null {
    const known = kept.get(hash);
    if (known !== undefined) return known;
    const row = repository.findByHash(hash);
    if (row === null || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
    if (kept.size >= MOST_KEPT) kept.clear();
    const fresh: Kept = { row, tools: row.tools === null ? null : new Set(row.tools), usedAt: row.lastUsedAt ?? 0 };
    kept.set(hash, fresh);
    return fresh;
  }

  function stateOf(row: TokenRow): Token['state'] {
    if (row.revokedAt !== null) return 'revoked';
    if (row.expiresAt <= now()) return 'expired';
    return ownerOf(row.ownerId)?.active === true ? 'active' : 'owner_inactive';
  }

  function show(row: TokenRow): Token {
    const owner = ownerOf(row.ownerId);
    const state = stateOf(row);
    const { id, name, prefix, role } = row;
    return {
      id,
      name,
      prefix,
      owner: { id: row.ownerId, name: owner?.name ?? '' },
      role,
      effective_role: owner === null || state !== 'active' ? null : lesser(role, owner.role),
      tools: row.tools === null ? null : [...row.tools],
      state,
      created_at: iso(row.createdAt),
      expires_at: iso(row.expiresAt),
      last_used_at: row.lastUsedAt === null ? null : iso(row.lastUsedAt),
      revoked_at: row.revokedAt === null ? null : iso(row.revokedAt),
    };
  }

  function noteUse(one: Kept): void {
    const at = now();
    if (at - one.usedAt < USE_NOTED_MS) return;
    one.usedAt = at;
    repository.noteUse(one.row.id, at).catch(onError);
  }

  return {
    list: () => ({ tokens: repository.list().map(show) }),

    async make(asked, by, { address }) {
      if (ROLE_NAMES.indexOf(asked.role) > ROLE_NAMES.indexOf(by.role))
        return refuse('not_allowed', `A token may not do more than who makes it. Your role is ${by.role}; choose it or one below it.`);
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
        createdAt: at,
        expiresAt: at + asked.expires_in_days * DAY_MS,
        lastUsedAt: null,
        revokedAt: null,
      };
      if ((await repository.insert(row)) === 'full')
        return refuse(
          'state_conflict',
          `There are ${LIMITS.tokensAtOnce} tokens that work, which is the most. Revoke one that is not needed.`,
        );
      const detail = { role: row.role, tools: row.tools?.join(', ') ?? 'any', days: asked.expires_in_days };
      audit.record({
        actor: auditActorOf(by),
        action: 'tokens.made',
        target: row.name,
        outcome: 'done',
        address,
        detail: { id: row.id, ...detail },
      });
      return ok({ ...show(row), token: text });
    },

    async revoke(id, by, { address }) {
      if (repository.get(id) === null)
        return refuse('token_not_found', `There is no token ${id.slice(0, 100)}. The list of tokens has those there are.`);
      const isNew = await repository.revoke(id, now());
      kept.clear();
      if (isNew) ended(id);
      const row = repository.get(id);
      if (row === null) return refuse('token_not_found', 'The token is gone.');
      if (isNew) {
        const detail = { id, owner: ownerOf(row.ownerId)?.name ?? null };
        audit.record({ actor: auditActorOf(by), action: 'tokens.revoked', target: row.name, outcome: 'done', address, detail });
      }
      return ok(show(row));
    },

    find(text) {
      if (!isTokenText(text)) return { kind: 'unknown', token: null };
      const one = keptOf(hashToken(text));
      if (one === null) return { kind: 'unknown', token: null };
      const { row, tools } = one;
      const { id, name, ownerId } = row;
      const state = stateOf(row);
      const owner = ownerOf(ownerId);
      if (state !== 'active' || owner === null) {
        const shown = owner === null ? name : `${name} (${owner.name})`;
        return { kind: state === 'active' ? 'owner_inactive' : state, token: { id, name: shown } };
      }
      noteUse(one);
      return { kind: 'works', holder: { kind: 'token', id, name, ownerId, owner: owner.name, role: lesser(row.role, owner.role), tools } };
    },

    isCurrent(holder) {
      const row = repository.get(holder.id);
      const owner = ownerOf(holder.ownerId);
      return row !== null && owner !== null && stateOf(row) === 'active' && lesser(row.role, owner.role) === holder.role;
    },

    ownerChanged(memberId) {
      for (const { id, ownerId, revokedAt } of repository.list()) if (ownerId === memberId && revokedAt === null) ended(id);
    },
  };
}

function lesser(one: Role, other: Role): Role {
  return ROLE_NAMES.indexOf(one) <= ROLE_NAMES.indexOf(other) ? one : other;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
