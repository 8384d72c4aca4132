import type { Dialect } from 'kysely';
import type { JoinOffer } from '#lib/contract/account.ts';
import type { Action, Role } from '#lib/contract/actions.ts';
import type { AuditDetail, AuditPage, AuditQuery } from '#lib/contract/audit.ts';
import type { AuditActorKind, AuditOutcome } from '#lib/contract/audit-events.ts';
import type { Columns } from './database.ts';

/** A team server's data about its members. Times are epoch milliseconds; promises resolve once the data is on disk. */

export interface MemberRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly active: boolean;
  readonly signIn: 'password' | 'oidc';
  readonly lastSeenAt: number | null;
  readonly joinedAt: number;
}

export interface SessionRow {
  readonly id: string;
  readonly token: string;
  readonly startedAt: number;
  /** Null: never since its creation. */
  readonly usedAt: number | null;
  readonly member: MemberRow;
}

export interface JoinLinkRow {
  readonly id: string;
  readonly kind: JoinOffer['kind'];
  /** SHA-256 of its secret, in hexadecimal. */
  readonly secretHash: string;
  readonly email: string | null;
  readonly role: Role;
  readonly invitedBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewMember {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

export interface AccountRepository {
  /** For better-auth: the same connection, its writes in the same queue. */
  dialect(): Dialect;
  session(token: string): Promise<SessionRow | null>;
  noteUse(sessionId: string, memberId: string, at: number): Promise<void>;
  /** Resolves to the ids that existed. */
  endSessions(which: SessionChoice): Promise<readonly string[]>;
  /** Drops expired sessions, the oldest of a member above the limit, and the states of expired sign-ins and links. */
  sweep(limits: SessionLimits): Promise<readonly string[]>;
  memberCount(): Promise<number>;
  member(id: string): Promise<MemberRow | null>;
  memberByEmail(email: string): Promise<MemberRow | null>;
  /** By name. */
  members(): Promise<readonly MemberRow[]>;
  isNameFree(name: string, except: string | null): Promise<boolean>;
  rename(id: string, name: string): Promise<'stored' | 'name_taken'>;
  setPassword(memberId: string, passwordHash: string): Promise<void>;
  passwordHash(memberId: string): Promise<string | null>;
  /**
   * An identity provider verifies the member's address now. If it was not verified before, the password may belong to
   * somebody else, so the password and all sessions are removed. Null: it was verified already, and nothing changed.
   */
  claim(memberId: string): Promise<readonly string[] | null>;
  /** `last_admin`: nothing changed, because no admin would be left. */
  changeMember(
    id: string,
    change: { readonly role?: Role | undefined; readonly active?: boolean | undefined },
  ): Promise<'stored' | 'last_admin'>;
  /** A new link for the first admin, or for recovery, replaces earlier ones. */
  insertLink(link: JoinLinkRow): Promise<'stored' | 'full'>;
  link(secretHash: string, now: number): Promise<JoinLinkRow | null>;
  /** Open invitations, newest first. */
  invitations(now: number): Promise<readonly JoinLinkRow[]>;
  invitationFor(email: string, now: number): Promise<JoinLinkRow | null>;
  removeLink(id: string): Promise<boolean>;
  /**
   * Redeems the link, completely or not at all, and only once. An existing member with that address gets a new
   * password: by a recovery link, which also makes them an admin, or by an invitation to that address, which keeps
   * their role.
   */
  join(secretHash: string, member: NewMember, now: number): Promise<JoinOutcome>;
}

interface SessionLimits {
  readonly memberId: string;
  readonly mostOfMember: number;
  readonly startedBefore: number;
  readonly usedBefore: number;
  readonly now: number;
}

export type SessionChoice = { readonly id: string } | { readonly memberId: string; readonly except: string | null };

export type JoinOutcome =
  | { readonly kind: 'joined' | 'recovered'; readonly memberId: string; readonly link: JoinLinkRow; readonly ended: readonly string[] }
  | { readonly kind: 'link_invalid' | 'name_taken' | 'email_taken' | 'email_other' };

/** Two names that look the same have one key. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');
}

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
  /** Uses up a code or refresh token and stores its successors, all or nothing. False: its first use was not after `again`. */
  exchange(
    hash: string,
    use: { readonly at: number; readonly again: number },
    next: readonly OAuthTokenRow[],
    grantExpiresAt: number,
  ): Promise<boolean>;
  noteUse(grantId: string, at: number): Promise<void>;
  /** False: there was none to revoke. */
  revoke(grantId: string, at: number): Promise<boolean>;
  /** Drops tokens that expired before `expiredBefore`, grants that ended before `endedBefore`, and clients without a grant since `unusedBefore`. */
  sweep(expiredBefore: number, endedBefore: number, unusedBefore: number): Promise<void>;
}

/** Kysely types of the tables of members (see lib/store/tables.ts); lib/store/account-repository.ts creates them. */

export interface MembersTable {
  id: string;
  name: string;
  name_key: string;
  email: string;
  email_verified: number;
  image: string | null;
  role: Role;
  active: number;
  sign_in: 'password' | 'oidc';
  last_seen_at: number | null;
  created_at: string;
  updated_at: string;
}

interface MemberSessionsTable {
  id: string;
  token: string;
  member_id: string;
  ip_address: string | null;
  user_agent: string | null;
  used_at: number | null;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface MemberCredentialsTable {
  id: string;
  member_id: string;
  provider_id: string;
  account_id: string;
  password: string | null;
  created_at: string;
  updated_at: string;
}

interface SignInStatesTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
}

export type JoinLinksTable = Columns<JoinLinkRow>;

export interface AccountTables {
  members: MembersTable;
  member_sessions: MemberSessionsTable;
  member_credentials: MemberCredentialsTable;
  sign_in_states: SignInStatesTable;
  join_links: JoinLinksTable;
}
