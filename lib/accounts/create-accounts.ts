import type { AccountRepository, MemberRow } from '#lib/store/account-store.ts';
import type { AttemptRepository } from '#lib/store/instance-store.ts';
import type { Store } from '#lib/store/store.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Accounts, EndedAccess, TeamSettings, Members, Profile } from './accounts.ts';
import type { DocumentOptions } from './client-document.ts';
import { type Audit, createAudit } from './audit.ts';
import { type AuthEngine, createAuthEngine } from './auth-engine.ts';
import { readOrMakeSecret } from './auth-secret.ts';
import { createInvitations, createJoining } from './invitations.ts';
import { createMemberSessions, type MemberSessions } from './member-sessions.ts';
import { createOAuthClients } from './oauth-clients.ts';
import { createOAuthRequests } from './oauth-requests.ts';
import { createOAuthTokens, type OAuthTokens } from './oauth-tokens.ts';
import { createOidc } from './oidc.ts';
import { createPasswordChecks, type PasswordChecks } from './password-checks.ts';
import { createSessionCookie } from './session-cookie.ts';
import { createSessionView, initialsOf } from './session-view.ts';
import { type CompleteSignIn, createSignIn, createSignInCompletion, type SignInOptions } from './sign-in.ts';
import { createSignInLimits, type SignInLimits } from './sign-in-limits.ts';
import { createTokens, type Owner, type Tokens } from './tokens.ts';
import { auditActorOf } from '#lib/access/actor-of.ts';
import type { Member, Principal } from '#lib/access/principal.ts';
import { authorize } from '#lib/access/authorize.ts';
import type { MemberView } from '#lib/contract/account.ts';
import { checkPassword } from './password-rules.ts';

export interface CreateAccountsOptions {
  readonly settings: TeamSettings;
  readonly dataDir: string;
  /** Other servers on the same database; null: there are none. */
  readonly shared?: AccountsElsewhere | null;
  readonly store: Pick<Store, 'accounts' | 'tokens' | 'oauth' | 'audit'>;
  /** How metadata documents of OAuth clients are read. */
  readonly documents?: DocumentOptions;
  log(level: 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface AccountsElsewhere {
  readonly attempts: Pick<AttemptRepository, 'count'>;
  /** Calls the listeners of all servers. */
  notify(about: string): void;
  /** Also called with an empty text: anything may have changed. */
  onNotice(listener: (about: string) => void): () => void;
}

/** Creates all account services on the server's database. */
export async function createAccounts({
  settings,
  dataDir,
  store,
  documents,
  shared = null,
  log,
}: CreateAccountsOptions): Promise<Accounts> {
  const repository = store.accounts;
  const secret = settings.secret ?? readOrMakeSecret(dataDir);
  const onError = (error: unknown): void => log('error', 'An account record could not be written', { error });
  const engineOptions = { repository, secret, onError: (message: string) => log('warn', `Signing in: ${message}`) };
  const engine = createAuthEngine(engineOptions);
  const listeners = new Set<(ended: EndedAccess) => void>();
  const notifyHere = (ended: EndedAccess): void => listeners.forEach((listener) => listener(ended));
  const notifyEnded = (ended: EndedAccess): void => {
    notifyHere(ended);
    shared?.notify(ended.kind === 'member' ? `member ${ended.sessionId}` : `token ${ended.kind === 'token' ? ended.tokenId : ''}`);
  };

  const owners = createOwners(repository);
  const sessions = createMemberSessions({ repository, onError });
  sessions.onEnded((sessionId) => notifyEnded({ kind: 'member', sessionId }));
  const audit = createAudit({ repository: store.audit, onError });
  const made = createTokens({
    repository: store.tokens,
    audit,
    ownerOf: owners.find,
    ended: (tokenId) => notifyEnded({ kind: 'token', tokenId }),
    onError,
  });
  const granted = createOAuthTokens({
    repository: store.oauth,
    audit,
    ownerOf: owners.find,
    ended: (tokenId) => notifyEnded({ kind: 'token', tokenId }),
    onError,
  });
  const clients = createOAuthClients({
    repository: store.oauth,
    audit,
    attempts: shared?.attempts ?? null,
    ...(documents === undefined ? {} : { documents }),
  });
  const tokens = withGrants(made, granted);
  // Sessions also expire; nothing else would close their streams.
  const tidying = setInterval(() => void Promise.all([sessions.tidy(null), granted.sweep()]).catch(onError), TIDY_MS).unref();
  const changed = async (memberId: string): Promise<void> => {
    owners.forget();
    shared?.notify('members');
    await tokens.ownerChanged(memberId).catch(onError);
  };

  let hasMembers = (await repository.memberCount()) > 0;
  const joined = (memberId: string): void => {
    hasMembers = true;
    void changed(memberId);
  };
  const elsewhere = shared === null ? null : followElsewhere(shared, { forget: forgetAll, notifyEnded: notifyHere });
  function forgetAll(): void {
    sessions.forget();
    tokens.forget();
    owners.forget();
    if (!hasMembers)
      repository.memberCount().then((count) => {
        hasMembers ||= count > 0;
      }, onError);
  }
  const view = createSessionView({ provider: settings.oidc?.name ?? null, hasMembers: () => hasMembers });
  const cookie = createSessionCookie(secret);
  const completeSignIn = createSignInCompletion({ sessions, cookie, view });
  const checks = createPasswordChecks();
  const limits = createSignInLimits({ attempts: shared?.attempts ?? null });
  const of = { engine, repository, sessions, cookie, checks, limits, audit, view, completeSignIn };
  const profile = createProfile(of);

  return {
    async memberOf(cookies) {
      const token = cookie.read(cookies);
      return token === null ? null : sessions.find(token);
    },
    view,
    sessions: { ...createSignIn(of, completeSignIn), ...createOidc({ ...of, settings: settings.oidc, engineOptions, joined }) },
    joining: createJoining({ ...of, joined }),
    profile: {
      ...profile,
      async rename(member, change, caller) {
        const renamed = await profile.rename(member, change, caller);
        if (renamed.ok) {
          owners.forget();
          shared?.notify('members');
        }
        return renamed;
      },
    },
    members: createMembers({ repository, sessions, audit, changed }),
    invitations: createInvitations(of),
    tokens,
    oauth: { clients, tokens: granted, requests: createOAuthRequests({ clients, tokens: granted, audit }) },
    audit,
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      clearInterval(tidying);
      elsewhere?.();
      return audit.close();
    },
  };
}

/** A notice may be lost with the connection. */
const ELSEWHERE_MS = 2_000;

/** What another server changed is not answered from a cache here. */
function followElsewhere(
  shared: AccountsElsewhere,
  { forget, notifyEnded }: { forget(): void; notifyEnded(ended: EndedAccess): void },
): () => void {
  const off = shared.onNotice((about) => {
    forget();
    const [kind, id = ''] = about.split(' ');
    if (about === '') notifyEnded({ kind: 'any' });
    else if (kind === 'member') notifyEnded({ kind, sessionId: id });
    else if (kind === 'token') notifyEnded({ kind, tokenId: id });
  });
  const forgetting = setInterval(forget, ELSEWHERE_MS).unref();
  return () => {
    off();
    clearInterval(forgetting);
  };
}

/** Clients that signed in by OAuth have tokens too. */
function withGrants(made: Tokens, granted: OAuthTokens): Tokens {
  return {
    ...made,
    async list() {
      const all = [...(await made.list()).tokens, ...(await granted.list())];
      return { tokens: all.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1)) };
    },
    async revoke(id, by, caller) {
      const revoked = await granted.revoke(id, by, caller.address);
      return revoked === null ? made.revoke(id, by, caller) : ok(revoked);
    },
    find: (text) => (text.startsWith('swo_') ? granted.find(text) : made.find(text)),
    isCurrent: (holder) => (holder.oauth === undefined ? made.isCurrent(holder) : granted.isCurrent(holder)),
    forget() {
      made.forget();
      granted.forget();
    },
    async ownerChanged(memberId) {
      await Promise.all([made.ownerChanged(memberId), granted.ownerChanged(memberId)]);
    },
  };
}

const MOST_OWNERS = 1_000;
const TIDY_MS = 600_000;

/** Token owners, needed for every call: cached until a member changes. */
function createOwners(repository: AccountRepository): { find(memberId: string): Promise<Owner | null>; forget(): void } {
  const known = new Map<string, Owner>();
  let changes = 0;
  return {
    async find(memberId) {
      const kept = known.get(memberId);
      if (kept !== undefined) return kept;
      const before = changes;
      const row = await repository.member(memberId);
      if (row === null) return null;
      const owner = { name: row.name, role: row.role, active: row.active };
      if (known.size >= MOST_OWNERS) known.clear();
      if (changes === before) known.set(memberId, owner);
      return owner;
    },
    forget() {
      changes += 1;
      known.clear();
    },
  };
}

interface MembersOptions {
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly audit: Audit;
  /** Role or activity changed: ends what the tokens of this member have open. */
  changed(memberId: string): Promise<void>;
}

/**
 * Members. What can go wrong: no admin remains, so the last admin cannot be changed; a revoked right survives in an open
 * session, so the member's sessions end before the answer.
 */
function createMembers({ repository, sessions, audit, changed }: MembersOptions): Members {
  const missing = (id: string): Result<never> =>
    refuse('member_not_found', `Member ${id.slice(0, 100)} not found. The member list shows all members.`);

  const viewOf = async (id: string): Promise<Result<MemberView>> => {
    const row = await repository.member(id);
    return row === null ? missing(id) : ok(show(row, true));
  };

  return {
    async list(asks: Principal) {
      const isAdmin = authorize(asks, 'members.manage', null).allowed;
      return { members: (await repository.members()).map((row) => show(row, isAdmin)) };
    },

    async change(id, change, by: Member, { address }) {
      const before = await repository.member(id);
      if (before === null) return missing(id);
      if ((await repository.changeMember(id, change)) === 'last_admin')
        return refuse('state_conflict', `${before.name} is the only active admin. Make another member admin first.`);
      const after = await repository.member(id);
      if (after === null) return missing(id);
      const note = { actor: auditActorOf(by), target: after.name, outcome: 'done', address } as const;
      if (after.role !== before.role)
        audit.record({ ...note, action: 'members.role_changed', detail: { from: before.role, to: after.role } });
      if (after.active !== before.active) audit.record({ ...note, action: after.active ? 'members.activated' : 'members.deactivated' });
      if (after.role !== before.role || after.active !== before.active) {
        await sessions.end({ memberId: id, except: null });
        await changed(id);
      }
      return await viewOf(id);
    },

    async signOut(id, by: Member, { address }) {
      const found = await repository.member(id);
      if (found === null) return missing(id);
      const ended = await sessions.end({ memberId: id, except: null });
      audit.record({
        actor: auditActorOf(by),
        action: 'sessions.ended',
        target: found.name,
        outcome: 'done',
        address,
        detail: { sessions: ended },
      });
      return await viewOf(id);
    },
  };
}

function show(row: MemberRow, isAdmin: boolean): MemberView {
  const { id, name, email, role, active, lastSeenAt, joinedAt, signIn } = row;
  return {
    id,
    name,
    ...(isAdmin ? { email } : {}),
    initials: initialsOf(name),
    role,
    active,
    last_seen: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
    joined_at: new Date(joinedAt).toISOString(),
    sign_in: signIn,
  };
}

interface ProfileOptions {
  readonly engine: AuthEngine;
  readonly repository: AccountRepository;
  readonly sessions: MemberSessions;
  readonly checks: PasswordChecks;
  readonly limits: SignInLimits;
  readonly audit: Audit;
  readonly view: SignInOptions['view'];
  readonly completeSignIn: CompleteSignIn;
}

/** Changes to one's own profile. The current password is required, because a browser may be unattended; attempts are limited. */
function createProfile({ engine, repository, sessions, checks, limits, audit, view, completeSignIn }: ProfileOptions): Profile {
  return {
    async rename(member, { name }, { address }) {
      if ((await repository.rename(member.id, name)) === 'name_taken')
        return refuse('state_conflict', 'A member with this name exists. Add something to distinguish you, such as your family name.', {
          extra: { field: 'name' },
        });
      sessions.forget();
      audit.record({
        actor: auditActorOf(member),
        action: 'profile.name_changed',
        target: name,
        outcome: 'done',
        address,
        detail: { from: member.name, to: name },
      });
      return ok(view({ ...member, name }));
    },

    async changePassword(member, { current, next }, { address, network }) {
      const hash = await repository.passwordHash(member.id);
      if (hash === null) return refuse('state_conflict', 'You sign in through your identity provider and have no password here.');
      const strong = checkPassword(next, member);
      if (!strong.ok) return strong;
      const taken = await limits.take(member.email, network);
      if (!taken.ok) return taken;
      const changed = await checks.run(async () => {
        if (await engine.verify(hash, current)) return ok(await engine.hash(next));
        return refuse('sign_in_failed', 'The current password is wrong. Nothing was changed.');
      });
      const note = { actor: auditActorOf(member), action: 'profile.password_changed', target: member.name, address };
      if (!changed.ok) {
        audit.record({ ...note, outcome: 'failed', detail: { reason: changed.problem.code } });
        return changed;
      }
      await repository.setPassword(member.id, changed.value);
      await sessions.end({ memberId: member.id, except: null });
      audit.record({ ...note, outcome: 'done' });
      return completeSignIn(await engine.beginSession(member.id), null);
    },
  };
}
