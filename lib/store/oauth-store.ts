import type { Action, Role } from '#lib/contract/actions.ts';

/** OAuth clients, their grants and tokens. Times are epoch milliseconds; promises resolve once the data is on disk. */

/** A client of dynamic registration. Clients with a metadata document are not stored. */
export interface OAuthClientRow {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
  readonly createdAt: number;
  /** Of its last grant; null: never. */
  readonly usedAt: number | null;
}

/** A client's permissions, granted by a member. */
export interface OAuthGrantRow {
  readonly id: string;
  readonly memberId: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Host that proves the client's identity; null for a registered client, which proves none. */
  readonly clientHost: string | null;
  readonly role: Role;
  readonly scopes: readonly Action[];
  readonly tools: readonly string[] | null;
  /** The only audience of its tokens. */
  readonly resource: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export type OAuthTokenKind = 'code' | 'access' | 'refresh';

export interface OAuthTokenRow {
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
  readonly grantId: string;
  readonly kind: OAuthTokenKind;
  readonly expiresAt: number;
  /** Codes and refresh tokens are used once. */
  readonly usedAt: number | null;
  /** For a code: its redirect address, and the PKCE challenge. */
  readonly redirectUri: string | null;
  readonly challenge: string | null;
}

export interface OAuthRepository {
  /** Drops clients that never had a grant and are older than `unusedBefore`. Nothing is stored when `most` are left. */
  insertClient(row: OAuthClientRow, limits: { readonly most: number; readonly unusedBefore: number }): Promise<'stored' | 'full'>;
  client(id: string): Promise<OAuthClientRow | null>;
  /** A new grant with its code. Nothing is stored when the member has `most` active ones. */
  insertGrant(grant: OAuthGrantRow, code: OAuthTokenRow, most: number): Promise<'stored' | 'full'>;
  grant(id: string): Promise<OAuthGrantRow | null>;
  /** Newest first. */
  grants(): Promise<readonly OAuthGrantRow[]>;
  find(hash: string): Promise<{ readonly token: OAuthTokenRow; readonly grant: OAuthGrantRow } | null>;
  /** Uses up a code or refresh token and stores its successors, all or nothing. False: it was used before. */
  exchange(hash: string, at: number, next: readonly OAuthTokenRow[], grantExpiresAt: number): Promise<boolean>;
  noteUse(grantId: string, at: number): Promise<void>;
  /** False: there was none to revoke. */
  revoke(grantId: string, at: number): Promise<boolean>;
  /** Drops tokens that expired before `expiredBefore`, grants that ended before `endedBefore`, and clients without a grant since `unusedBefore`. */
  sweep(expiredBefore: number, endedBefore: number, unusedBefore: number): Promise<void>;
}
