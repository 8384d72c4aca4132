import { randomUUIDv7 } from 'node:crypto';
import type { Selectable, Compilable, CompiledQuery, DatabaseConnection, Dialect } from 'kysely';
import { LIMITS } from '#lib/contract/limits.ts';
import { nameKey } from './account-store.ts';
import type { AccountRepository, JoinLinkRow, JoinLinksTable, MemberRow, MembersTable, SessionChoice } from './account-store.ts';
import { changesOf, countOf, type Database, type Db, fromColumns, toColumns } from './database.ts';
import { strictTable } from './dialect.ts';

/** Sessions above the limit of a member; a number larger than any count. */
const MOST_DROPPED = 100_000;

export function createAccountRepository(database: Database): AccountRepository {
  const { read, write } = database;

  const first = (row: Selectable<MembersTable> | undefined): MemberRow | null => (row === undefined ? null : readMember(row));

  async function isNameFree(db: Db, name: string, except: string | null): Promise<boolean> {
    const query = db.selectFrom('members').select('id').where('name_key', '=', nameKey(name));
    const owner = (await query.executeTakeFirst())?.id;
    return owner === undefined || owner === except;
  }

  async function endNow(db: Db, which: SessionChoice): Promise<readonly string[]> {
    let query = db.deleteFrom('member_sessions').returning('id');
    if ('id' in which) query = query.where('id', '=', which.id);
    else {
      query = query.where('member_id', '=', which.memberId);
      if (which.except !== null) query = query.where('id', '!=', which.except);
    }
    return (await query.execute()).map(({ id }) => id);
  }

  async function setPasswordNow(db: Db, memberId: string, passwordHash: string): Promise<void> {
    const at = new Date().toISOString();
    const change = db
      .updateTable('member_credentials')
      .set({ password: passwordHash, updated_at: at })
      .where('member_id', '=', memberId)
      .where('provider_id', '=', 'credential');
    if (changesOf(await change.executeTakeFirst()) > 0) return;
    const row = { id: randomUUIDv7(), member_id: memberId, provider_id: 'credential', account_id: memberId, password: passwordHash };
    await db
      .insertInto('member_credentials')
      .values({ ...row, created_at: at, updated_at: at })
      .execute();
  }

  return {
    dialect: () => createAccountDialect(database),

    async session(token) {
      const row = await read
        .selectFrom('member_sessions')
        .innerJoin('members', 'members.id', 'member_sessions.member_id')
        .selectAll('members')
        .select(['member_sessions.id as session_id', 'member_sessions.created_at as started_at', 'member_sessions.used_at'])
        .where('member_sessions.token', '=', token)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { id: row.session_id, token, startedAt: Date.parse(row.started_at), usedAt: row.used_at, member: readMember(row) };
    },

    noteUse(sessionId, memberId, at) {
      return write(async (db) => {
        const session = db.updateTable('member_sessions').set({ used_at: at }).where('id', '=', sessionId);
        const member = db.updateTable('members').set({ last_seen_at: at }).where('id', '=', memberId);

        await session.execute();
        await member.execute();
      });
    },

    endSessions: (which) => write((db) => endNow(db, which)),

    sweep({ memberId, mostOfMember, startedBefore, usedBefore, now }) {
      const started = new Date(startedBefore).toISOString();
      return write(async (db) => {
        const sessions = db
          .deleteFrom('member_sessions')
          .returning('id')
          .where((eb) =>
            eb.or([
              eb('created_at', '<', started),
              eb('used_at', '<', usedBefore),
              eb.and([eb('used_at', 'is', null), eb('created_at', '<', new Date(usedBefore).toISOString())]),
            ]),
          );
        const tooMany = db
          .deleteFrom('member_sessions')
          .returning('id')
          .where(
            'id',
            'in',
            db
              .selectFrom('member_sessions')
              .select('id')
              .where('member_id', '=', memberId)
              .orderBy('created_at', 'desc')
              .orderBy('id', 'desc')
              .limit(MOST_DROPPED)
              .offset(mostOfMember),
          );
        const states = db.deleteFrom('sign_in_states').where('expires_at', '<', new Date(now).toISOString());
        const links = db.deleteFrom('join_links').where('expires_at', '<', now);

        await states.execute();
        await links.execute();
        return [...(await sessions.execute()), ...(await tooMany.execute())].map(({ id }) => id);
      });
    },

    memberCount: () => countOf(read.selectFrom('members')),
    member: async (id) => first(await read.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst()),
    memberByEmail: async (email) => first(await read.selectFrom('members').selectAll().where('email', '=', email).executeTakeFirst()),
    members: async () => (await read.selectFrom('members').selectAll().orderBy('name_key').execute()).map(readMember),
    isNameFree: (name, except) => isNameFree(read, name, except),

    rename(id, name) {
      return write(async (db) => {
        const query = db
          .updateTable('members')
          .set({ name, name_key: nameKey(name), updated_at: new Date().toISOString() })
          .where('id', '=', id);

        if (!(await isNameFree(db, name, id))) return 'name_taken';
        await query.execute();
        return 'stored';
      });
    },

    setPassword: (memberId, passwordHash) => write((db) => setPasswordNow(db, memberId, passwordHash)),

    async passwordHash(memberId) {
      const query = read
        .selectFrom('member_credentials')
        .select('password')
        .where('member_id', '=', memberId)
        .where('provider_id', '=', 'credential');
      return (await query.executeTakeFirst())?.password ?? null;
    },

    claim(memberId) {
      const at = new Date().toISOString();
      return write(async (db) => {
        const member = db
          .updateTable('members')
          .set({ email_verified: 1, sign_in: 'oidc', updated_at: at })
          .where('id', '=', memberId)
          .where('email_verified', '=', 0);
        const password = db.deleteFrom('member_credentials').where('member_id', '=', memberId).where('provider_id', '=', 'credential');

        if (changesOf(await member.executeTakeFirst()) === 0) return null;
        await password.execute();
        return await endNow(db, { memberId, except: null });
      });
    },

    changeMember(id, { role, active }) {
      const columns = {
        ...(role === undefined ? {} : { role }),
        ...(active === undefined ? {} : { active: active ? 1 : 0 }),
        updated_at: new Date().toISOString(),
      };
      const staysAdmin = (now: Selectable<MembersTable>): boolean => (role ?? now.role) === 'admin' && (active ?? now.active === 1);
      return write(async (db) => {
        const now = await db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst();
        const isAdmin = now?.role === 'admin' && now.active === 1;
        if (now !== undefined && isAdmin && !staysAdmin(now)) {
          const admins = db.selectFrom('members').select('id').where('role', '=', 'admin').where('active', '=', 1);
          if ((await admins.where('id', '!=', id).limit(1).executeTakeFirst()) === undefined) return 'last_admin';
        }
        await db.updateTable('members').set(columns).where('id', '=', id).execute();
        return 'stored';
      });
    },

    ...createJoinLinks({
      database,
      isNameFree,
      setPassword: setPasswordNow,
      endSessions: endNow,
      mostOpen: LIMITS.invitationsOpen,
    }),
  };
}

function readMember(row: Selectable<MembersTable>): MemberRow {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    active: row.active === 1,
    signIn: row.sign_in,
    lastSeenAt: row.last_seen_at,
    joinedAt: Date.parse(row.created_at),
  };
}

/**
 * Members of a team, their sessions and sign-in methods. The columns of the first four tables are written by
 * better-auth (lib/accounts/auth-engine.ts maps their names); `name_key`, `role`, `active`, `sign_in` and the uses are
 * Switchboard's.
 */
export function accountTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`members (id text primary key, name text, name_key text unique, email text unique, email_verified integer,
      image text?, role text, active integer default 1, sign_in text, last_seen_at integer?, created_at text, updated_at text)`,
    strictTable(db)`member_sessions (id text primary key, token text unique, member_id text references members.id cascade,
      ip_address text?, user_agent text?, used_at integer?, expires_at text, created_at text, updated_at text)`,
    db.schema.createIndex('member_sessions_by_member').on('member_sessions').columns(['member_id']),
    strictTable(db)`member_credentials (id text primary key, member_id text references members.id cascade, provider_id text,
      account_id text, password text?, access_token text?, refresh_token text?, id_token text?, access_token_expires_at text?,
      refresh_token_expires_at text?, scope text?, created_at text, updated_at text)`.addUniqueConstraint('member_credentials_account', [
      'provider_id',
      'account_id',
    ]),
    db.schema.createIndex('member_credentials_by_member').on('member_credentials').columns(['member_id']),
    strictTable(db)`sign_in_states (id text primary key, identifier text, value text, expires_at text, created_at text, updated_at text)`,
    db.schema.createIndex('sign_in_states_by_identifier').on('sign_in_states').columns(['identifier']),
    strictTable(db)`join_links (id text primary key, kind text, secret_hash text unique, email text?, role text, invited_by text?,
      created_at integer, expires_at integer)`,
  ];
}

/**
 * better-auth's queries: reads run at once, and each write is a transaction of its own, which shares its commit like
 * any other. No transactions across its queries, because others' writes share the commit.
 */
function createAccountDialect({ read, write }: Database): Dialect {
  const executor: DatabaseConnection = {
    // Kysely knows the columns of its compiled query.
    executeQuery: <Row>(query: CompiledQuery) =>
      query.query.kind === 'SelectQueryNode'
        ? read.executeQuery(query as CompiledQuery<Row>)
        : write((db) => db.executeQuery(query as CompiledQuery<Row>)),
    streamQuery() {
      throw new Error('Account rows cannot be streamed.');
    },
  };
  const refuse = async (): Promise<never> => {
    throw new Error('Transactions are not supported; each write is one.');
  };
  return {
    createAdapter: () => read.getExecutor().adapter,
    createIntrospector: () => read.introspection,
    createQueryCompiler: () => ({ compileQuery: (node, id) => read.getExecutor().compileQuery(node, id) }),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => executor,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  };
}

/**
 * Invitation links. What can go wrong: two people use one link at the same time, so its existence is checked in the
 * transaction that redeems it and creates the member.
 */
type JoinLinks = Pick<AccountRepository, 'insertLink' | 'link' | 'invitations' | 'invitationFor' | 'removeLink' | 'join'>;

interface JoinLinksOptions {
  readonly database: Database;
  readonly mostOpen: number;
  isNameFree(db: Db, name: string, except: string | null): Promise<boolean>;
  setPassword(db: Db, memberId: string, passwordHash: string): Promise<void>;
  endSessions(db: Db, which: SessionChoice): Promise<readonly string[]>;
}

function createJoinLinks(options: JoinLinksOptions): JoinLinks {
  const { database, mostOpen, isNameFree, setPassword, endSessions } = options;
  const { read, write } = database;
  const open = (db: Db, now: number) => db.selectFrom('join_links').selectAll().where('expires_at', '>', now);
  const first = (row: Selectable<JoinLinksTable> | undefined): JoinLinkRow | null => (row === undefined ? null : fromColumns(row));
  const link = async (db: Db, secretHash: string, now: number): Promise<JoinLinkRow | null> =>
    first(await open(db, now).where('secret_hash', '=', secretHash).executeTakeFirst());
  const invitations = async (db: Db, now: number): Promise<readonly JoinLinkRow[]> =>
    (await open(db, now).where('kind', '=', 'invitation').orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map((row) =>
      fromColumns(row),
    );

  return {
    insertLink(row) {
      return write(async (db) => {
        // Servers that start together have one each: all end with the first member.
        const replaces = row.kind === 'recovery' || (row.kind === 'first_admin' && database.shared === null);
        if (replaces) await db.deleteFrom('join_links').where('kind', '=', row.kind).execute();
        else if (row.kind === 'invitation' && (await invitations(db, row.createdAt)).length >= mostOpen) return 'full';
        await db.insertInto('join_links').values(toColumns(row)).execute();
        return 'stored';
      });
    },

    link: (secretHash, now) => link(read, secretHash, now),
    invitations: (now) => invitations(read, now),
    invitationFor: async (email, now) =>
      first(
        await open(read, now).where('kind', '=', 'invitation').where('email', '=', email).orderBy('created_at', 'desc').executeTakeFirst(),
      ),

    removeLink(id) {
      return write(async (db) => {
        const query = db.deleteFrom('join_links').where('id', '=', id);
        return changesOf(await query.executeTakeFirst()) > 0;
      });
    },

    join(secretHash, { id, name, email, passwordHash }, now) {
      const at = new Date(now).toISOString();
      return write(async (db) => {
        const found = await link(db, secretHash, now);
        if (found === null) return { kind: 'link_invalid' };
        if (found.kind === 'first_admin' && (await db.selectFrom('members').select('id').limit(1).executeTakeFirst()) !== undefined)
          return { kind: 'link_invalid' };
        if (found.email !== null && found.email !== email) return { kind: 'email_other' };
        const member = await db.selectFrom('members').select(['id', 'role', 'active']).where('email', '=', email).executeTakeFirst();
        const known = member?.id ?? null;
        const isTheirs = found.kind === 'recovery' || (found.email !== null && member?.active === 1);
        if (known !== null && !isTheirs) return { kind: 'email_taken' };
        const role = found.kind === 'invitation' && member !== undefined ? member.role : found.role;
        if (!(await isNameFree(db, name, known))) return { kind: 'name_taken' };
        const memberId = known ?? id;
        const values = { name, name_key: nameKey(name), role, active: 1, sign_in: 'password', updated_at: at } as const;
        if (known === null) {
          const row = {
            ...values,
            id,
            email,
            email_verified: found.email === null ? 0 : 1,
            image: null,
            last_seen_at: null,
            created_at: at,
          };
          await db.insertInto('members').values(row).execute();
        } else await db.updateTable('members').set(values).where('id', '=', known).execute();
        await setPassword(db, memberId, passwordHash);
        await db.deleteFrom('join_links').where('id', '=', found.id).execute();
        const ended = await endSessions(db, { memberId, except: null });
        return { kind: known === null ? 'joined' : 'recovered', memberId, link: found, ended };
      });
    },
  };
}
