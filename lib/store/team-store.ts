import type { AuditDetail, AuditPage, AuditQuery } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';
import type { Role } from '#lib/contract/roles.ts';

/** What a team's server keeps of its tokens and of who did what. Times are epoch milliseconds. */

export interface TokenRow {
  readonly id: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string;
  /** How the token begins. */
  readonly prefix: string;
  readonly name: string;
  readonly ownerId: string;
  readonly role: Role;
  readonly tools: readonly string[] | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenRepository {
  /** On disk when it resolves. Nothing is kept when LIMITS.tokensAtOnce work already. */
  insert(row: TokenRow): Promise<'kept' | 'full'>;
  findByHash(hash: string): TokenRow | null;
  get(id: string): TokenRow | null;
  /** Newest first. */
  list(): TokenRow[];
  noteUse(id: string, at: number): Promise<void>;
  /** On disk when it resolves. False: there is none that could be revoked. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Drops those that were revoked or expired before. Resolves to how many. */
  removeDead(before: number): Promise<number>;
}

export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly actorKind: AuditActorKind;
  readonly actorId: string | null;
  readonly actorName: string;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  readonly address: string | null;
  readonly detail: AuditDetail;
}

export interface AuditRepository {
  /** On disk when it resolves. */
  append(rows: readonly AuditRow[]): Promise<void>;
  /**
   * Newest first, keyset pages; null on a foreign cursor. A search looks at so many entries for one page, so a page may hold
   * fewer than were asked for and still have a next one.
   */
  list(query: AuditQuery): AuditPage | null;
}
