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
import type { Role } from '#lib/contract/actions.ts';
import type { Audit } from './audit.ts';
import type { OAuthClients } from './oauth-clients.ts';
import type { OAuthRequests } from './oauth-requests.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import type { Tokens } from './tokens.ts';

/** Accounts of a server with AUTH=team, created by `createAccounts`. */
export interface Accounts {
  /** Session of a request's cookies, or null. Synchronous, because every request needs it. */
  memberOf(cookies: string | undefined): Promise<Member | null>;
  /** The caller's own view of the session. */
  view(principal: Principal): SessionView;
  readonly sessions: AccountSessions;
  readonly joining: Joining;
  readonly profile: Profile;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly tokens: Tokens;
  readonly oauth: OAuth;
  readonly audit: Audit;
  /** Called when a session or token ends, to close its streams. */
  onEnded(listener: (ended: EndedAccess) => void): () => void;
  close(): Promise<void>;
}

/** Sign-in of clients of `/mcp`. */
export interface OAuth {
  readonly clients: OAuthClients;
  readonly requests: OAuthRequests;
  readonly tokens: Pick<OAuthTokens, 'exchange' | 'giveUp'>;
}

export type EndedAccess =
  | { readonly kind: 'member'; readonly sessionId: string }
  | { readonly kind: 'token'; readonly tokenId: string }
  /** Any may have ended on another server. */
  | { readonly kind: 'any' };

/** Origin of a request, for sign-in and the audit log. */
export interface Caller {
  /** Null if unknown. */
  readonly address: string | null;
  /** Key for rate limits: for IPv6 its /64. */
  readonly network: string;
  /** Origin of the request, used in links. */
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
  /** Same answer and same work for a wrong account and a wrong password. Ends the session `held`. */
  signIn(asked: SignIn, held: Member | null, caller: Caller): Promise<Result<SignedIn>>;
  signOut(member: Member, caller: Caller): Promise<SignedOut>;
  /** Ends all sessions of a person. */
  signOutEverywhere(member: Member, caller: Caller): Promise<SignedOut>;
  /** Authorization URL of the identity provider. */
  beginOidc(to: string | undefined, caller: Caller): Promise<Result<{ readonly begun: OidcBegun; readonly cookies: readonly string[] }>>;
  /** Handles the provider's redirect: the page to open next, also for errors. */
  endOidc(request: Request, held: Member | null, caller: Caller): Promise<{ readonly to: string; readonly cookies: readonly string[] }>;
}

/** Accepts a one-time link: first admin, invitation, or account recovery. */
export interface Joining {
  look(secret: string): Promise<Result<JoinOffer>>;
  join(asked: Join, held: Member | null, caller: Caller): Promise<Result<SignedIn>>;
  /** Replaces the previous link; null once a member exists. */
  firstAdminLink(origin: string): Promise<string | null>;
}

export interface Profile {
  rename(member: Member, change: ProfileChange, caller: Caller): Promise<Result<SessionView>>;
  /** Ends all other sessions and renews this one. */
  changePassword(member: Member, change: PasswordChange, caller: Caller): Promise<Result<SignedIn>>;
}

export interface Members {
  /** By name; e-mail addresses only for admins. */
  list(asks: Principal): Promise<MemberList>;
  /** Ends the member's sessions. Rejected for the last admin. */
  change(id: string, change: MemberChange, by: Member, caller: Caller): Promise<Result<MemberView>>;
  signOut(id: string, by: Member, caller: Caller): Promise<Result<MemberView>>;
}

export interface Invitations {
  /** Open ones, newest first. */
  list(): Promise<InvitationList>;
  invite(invite: Invite, by: Member, caller: Caller): Promise<Result<Invited>>;
  withdraw(id: string, by: Member, caller: Caller): Promise<Result<InvitationList>>;
}

/** Settings of a server with accounts. */
export interface TeamSettings {
  /** Signs cookies; never logged or passed on. Null on loopback only: generated in DATA_DIR. */
  readonly secret: string | null;
  /** Public https origin; null on loopback: http, with the requested host name. */
  readonly publicUrl: string | null;
  readonly oidc: OidcSettings | null;
}

/** An identity provider. */
export interface OidcSettings {
  /** Without a trailing slash. */
  readonly issuer: string;
  readonly clientId: string;
  /** Never logged or passed on. */
  readonly clientSecret: string;
  /** Name on the button. */
  readonly name: string;
  /** Role of new users; null: only members and invited people can sign in. */
  readonly role: Role | null;
}
