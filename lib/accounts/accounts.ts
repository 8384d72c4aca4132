import type { Member, Principal } from '#lib/access/principal.ts';
import type {
  InvitationList,
  Invite,
  Invited,
  Join,
  JoinOffer,
  MemberChange,
  MemberList,
  MemberView,
  OidcBegun,
  PasswordChange,
  ProfileChange,
  SessionView,
  SignIn,
} from '#lib/contract/account.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Audit } from './audit.ts';
import type { Tokens } from './tokens.ts';

/** The people of a team, of a server with AUTH=team. Made by `createAccounts`; a server without accounts has none. */
export interface Accounts {
  /** Whose session the cookies of a request name; null for nobody's. On the path of every request, so it never waits. */
  memberOf(cookies: string | undefined): Member | null;
  /** Who asks and what he may, for himself. */
  view(principal: Principal): SessionView;
  readonly sessions: AccountSessions;
  readonly joining: Joining;
  readonly profile: Profile;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** Called for each session and each token at the moment from which it counts no more; what is still open for it ends then. */
  onEnded(listener: (ended: EndedAccess) => void): () => void;
  close(): Promise<void>;
}

export type EndedAccess = { readonly kind: 'member'; readonly sessionId: string } | { readonly kind: 'token'; readonly tokenId: string };

/** From where somebody asks who is not known yet, or who does what is written down. */
export interface Caller {
  /** Null where it could not be told. */
  readonly address: string | null;
  /** What limits count it as: of IPv6 the /64 that it lies in. */
  readonly network: string;
  /** By which origin this server was asked: where links lead to. */
  readonly origin: string;
}

export interface SignedIn {
  readonly view: SessionView;
  /** For `Set-Cookie`. */
  readonly cookies: readonly string[];
}

export interface SignedOut {
  readonly ended: number;
  readonly cookies: readonly string[];
}

export interface AccountSessions {
  /** Refused with the same words, after the same work, whether the account or the password is wrong. `held` ends in its favour. */
  signIn(asked: SignIn, held: Member | null, caller: Caller): Promise<Result<SignedIn>>;
  signOut(member: Member, caller: Caller): Promise<SignedOut>;
  /** All of one person's. */
  signOutEverywhere(member: Member, caller: Caller): Promise<SignedOut>;
  /** By the provider of identities: where the browser is to go. */
  beginOidc(to: string | undefined, caller: Caller): Promise<Result<{ readonly begun: OidcBegun; readonly cookies: readonly string[] }>>;
  /** The provider sent the browser back: where it is to go now, on this server. Refusals too are a page. */
  endOidc(request: Request, held: Member | null, caller: Caller): Promise<{ readonly to: string; readonly cookies: readonly string[] }>;
}

/** By a link that is good once: of the first admin, of an invitation, or to come in again. */
export interface Joining {
  look(secret: string): Result<JoinOffer>;
  join(asked: Join, held: Member | null, caller: Caller): Promise<Result<SignedIn>>;
  /** In place of the one before; null once somebody has joined. */
  firstAdminLink(origin: string): Promise<string | null>;
}

export interface Profile {
  rename(member: Member, change: ProfileChange, caller: Caller): Promise<Result<SessionView>>;
  /** Ends all other sessions, and puts another in the place of this one. */
  changePassword(member: Member, change: PasswordChange, caller: Caller): Promise<Result<SignedIn>>;
}

export interface Members {
  /** By name; with e-mail addresses for admins alone. */
  list(asks: Principal): MemberList;
  /** Ends the sessions of who gets another role, or may not sign in any more. Refused for the last admin. */
  change(id: string, change: MemberChange, by: Member, caller: Caller): Promise<Result<MemberView>>;
  signOut(id: string, by: Member, caller: Caller): Promise<Result<MemberView>>;
}

export interface Invitations {
  /** Those that are open, newest first. */
  list(): InvitationList;
  invite(invite: Invite, by: Member, caller: Caller): Promise<Result<Invited>>;
  withdraw(id: string, by: Member, caller: Caller): Promise<Result<InvitationList>>;
}
