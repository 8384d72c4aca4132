import type { Dialect } from 'kysely';
import type { JoinOffer } from '#lib/contract/account.ts';
import type { Role } from '#lib/contract/actions.ts';

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

export interface SessionLimits {
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
