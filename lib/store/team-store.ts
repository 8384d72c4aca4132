import type { AuditDetail, AuditPage, AuditQuery } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';
import type { Role } from '#lib/contract/actions.ts';

/** A team server's tokens and audit log. Times are epoch milliseconds. */

export interface TokenRow {
  readonly id: string;
  /** SHA-256 of the token, in hexadecimal. */
  readonly hash: string;
  /** The first characters of the token. */
  readonly prefix: string;
  readonly name: string;
  readonly ownerId: string;
  readonly role: Role;
  readonly tools: readonly string[] | null;
  /** The toolset that it is limited to. */
  readonly toolset: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenRepository {
  /** On disk when it resolves. Nothing is stored when LIMITS.tokensAtOnce are active. */
  insert(row: TokenRow): Promise<'stored' | 'full'>;
  findByHash(hash: string): Promise<TokenRow | null>;
  get(id: string): Promise<TokenRow | null>;
  /** Newest first. */
  list(): Promise<TokenRow[]>;
  noteUse(id: string, at: number): Promise<void>;
  /** On disk when it resolves. False: there was none to revoke. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Drops those revoked or expired before. Resolves to their number. */
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
   * Newest first, keyset pages; null on a foreign cursor. A search scans a limited number of entries for one page, so a
   * page may have fewer than requested and still a next one.
   */
  list(query: AuditQuery): Promise<AuditPage | null>;
}
