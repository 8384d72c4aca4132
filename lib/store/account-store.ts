import type { Dialect } from 'kysely';
import type { JoinOffer } from '#lib/contract/account.ts';
import type { Role } from '#lib/contract/roles.ts';

/** What a team's server keeps of its people. Times are epoch milliseconds; promises resolve when it is on the disk. */

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
  /** Null: not since it began. */
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
  session(token: string): SessionRow | null;
  noteUse(sessionId: string, memberId: string, at: number): Promise<void>;
  /** Resolves to the ids of those that were there. */
  endSessions(which: SessionChoice): Promise<readonly string[]>;
  /** Drops sessions that are over, of one member the oldest beyond the most, and states of sign-ins and links that are over. */
  sweep(limits: SessionLimits): Promise<readonly string[]>;
  memberCount(): number;
  member(id: string): MemberRow | null;
  memberByEmail(email: string): MemberRow | null;
  /** By name. */
  members(): readonly MemberRow[];
  isNameFree(name: string, except: string | null): boolean;
  rename(id: string, name: string): Promise<'kept' | 'name_taken'>;
  setPassword(memberId: string, passwordHash: string): Promise<void>;
  passwordHash(memberId: string): string | null;
  /**
   * Somebody else vouches for his address now. Where nobody had before, whoever chose the password need not be whose address it is:
   * it is gone, and all sessions are. Null: it was vouched for already, and nothing was changed.
   */
  claim(memberId: string): Promise<readonly string[] | null>;
  /** `last_admin`: nothing was changed, as nobody could administer any more. */
  changeMember(
    id: string,
    change: { readonly role?: Role | undefined; readonly active?: boolean | undefined },
  ): Promise<'kept' | 'last_admin'>;
  /** A link of the first admin, or to recover, takes the place of those before it. */
  insertLink(link: JoinLinkRow): Promise<'kept' | 'full'>;
  link(secretHash: string, now: number): JoinLinkRow | null;
  /** Invitations that are open, newest first. */
  invitations(now: number): readonly JoinLinkRow[];
  invitationFor(email: string, now: number): JoinLinkRow | null;
  removeLink(id: string): Promise<boolean>;
  /**
   * Uses up the link: all of it or nothing, and only once. An existing member of that address gets a new password: by a link to recover,
   * which makes him an admin, or by an invitation to that very address, which leaves his role as it is.
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

/** Two names that people would take for one have one key. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');
}
