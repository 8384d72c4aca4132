import { randomUUIDv7 } from 'node:crypto';
import type { Selectable, Compilable, CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely';
import { LIMITS } from '#lib/contract/limits.ts';
import { createJoinLinks } from './join-links.ts';
import { nameKey } from './account-store.ts';
import type { AccountRepository, MemberRow, SessionChoice } from './account-store.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { MembersTable } from './account-columns.ts';
import type { WriteQueue } from './write-queue.ts';
import { strict } from './strict-table.ts';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';

/** Writes that must survive a power failure: who may sign in, and who may not any more. */

export function createAccountRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): AccountRepository {
  const sessionQuery = db
    .selectFrom('member_sessions')
    .innerJoin('members', 'members.id', 'member_sessions.member_id')
    .selectAll('members')
    .select(['member_sessions.id as session_id', 'member_sessions.created_at as started_at', 'member_sessions.used_at'])
    .where('member_sessions.token', '=', '');
  const sessionSql = sessionQuery.compile();

  const first = (row: Selectable<MembersTable> | undefined): MemberRow | null => (row === undefined ? null : readMember(row));

  function isNameFree(name: string, except: string | null): boolean {
    const query = db.selectFrom('members').select('id').where('name_key', '=', nameKey(name)).compile();
    const owner = connection.first(query)?.id;
    return owner === undefined || owner === except;
  }

  function endNow(which: SessionChoice): readonly string[] {
    let query = db.deleteFrom('member_sessions').returning('id');
    if ('id' in which) query = query.where('id', '=', which.id);
    else {
      query = query.where('member_id', '=', which.memberId);
      if (which.except !== null) query = query.where('id', '!=', which.except);
    }
    return connection.all(query.compile()).map(({ id }) => id);
  }

  function setPasswordNow(memberId: string, passwordHash: string): void {
    const at = new Date().toISOString();
    const change = db
      .updateTable('member_credentials')
      .set({ password: passwordHash, updated_at: at })
      .where('member_id', '=', memberId)
      .where('provider_id', '=', 'credential');
    if (connection.run(change.compile()).changes > 0) return;
    const row = { id: randomUUIDv7(), member_id: memberId, provider_id: 'credential', account_id: memberId, password: passwordHash };
    connection.run(
      db
        .insertInto('member_credentials')
        .values({ ...row, created_at: at, updated_at: at })
        .compile(),
    );
  }

  return {
    dialect: () => createAccountDialect(connection, queue),

    session(token) {
      const query: typeof sessionSql = { ...sessionSql, parameters: [token] };
      const row = connection.first(query);
      if (row === undefined) return null;
      return { id: row.session_id, token, startedAt: Date.parse(row.started_at), usedAt: row.used_at, member: readMember(row) };
    },

    noteUse(sessionId, memberId, at) {
      const session = db.updateTable('member_sessions').set({ used_at: at }).where('id', '=', sessionId).compile();
      const member = db.updateTable('members').set({ last_seen_at: at }).where('id', '=', memberId).compile();
      return queue.run(() => {
        connection.run(session);
        connection.run(member);
      });
    },

    endSessions: (which) => queue.run(() => endNow(which)),

    sweep({ memberId, mostOfMember, startedBefore, usedBefore, now }) {
      const started = new Date(startedBefore).toISOString();
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
            .limit(-1)
            .offset(mostOfMember),
        );
      const states = db.deleteFrom('sign_in_states').where('expires_at', '<', new Date(now).toISOString());
      const links = db.deleteFrom('join_links').where('expires_at', '<', now);
      return queue.run(() => {
        connection.run(states.compile());
        connection.run(links.compile());
        return [...connection.all(sessions.compile()), ...connection.all(tooMany.compile())].map(({ id }) => id);
      });
    },

    memberCount() {
      const query = db.selectFrom('members').select((eb) => eb.fn.countAll<number>().as('count'));
      return connection.first(query.compile())?.count ?? 0;
    },
    member: (id) => first(connection.first(db.selectFrom('members').selectAll().where('id', '=', id).compile())),
    memberByEmail: (email) => first(connection.first(db.selectFrom('members').selectAll().where('email', '=', email).compile())),
    members: () => connection.all(db.selectFrom('members').selectAll().orderBy('name_key').compile()).map(readMember),
    isNameFree,

    rename(id, name) {
      const query = db
        .updateTable('members')
        .set({ name, name_key: nameKey(name), updated_at: new Date().toISOString() })
        .where('id', '=', id);
      return queue.run(() => {
        if (!isNameFree(name, id)) return 'name_taken';
        connection.run(query.compile());
        return 'kept';
      });
    },

    setPassword: (memberId, passwordHash) => queue.run(() => setPasswordNow(memberId, passwordHash)),

    passwordHash(memberId) {
      const query = db
        .selectFrom('member_credentials')
        .select('password')
        .where('member_id', '=', memberId)
        .where('provider_id', '=', 'credential');
      return connection.first(query.compile())?.password ?? null;
    },

    claim(memberId) {
      const at = new Date().toISOString();
      const member = db
        .updateTable('members')
        .set({ email_verified: 1, sign_in: 'oidc', updated_at: at })
        .where('id', '=', memberId)
        .where('email_verified', '=', 0);
      const password = db.deleteFrom('member_credentials').where('member_id', '=', memberId).where('provider_id', '=', 'credential');
      return queue.run(() => {
        if (connection.run(member.compile()).changes === 0) return null;
        connection.run(password.compile());
        return endNow({ memberId, except: null });
      });
    },

    changeMember(id, { role, active }) {
      const others = db
        .selectFrom('members')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('role', '=', 'admin')
        .where('active', '=', 1)
        .where('id', '!=', id);
      const change = db
        .updateTable('members')
        .set({
          ...(role === undefined ? {} : { role }),
          ...(active === undefined ? {} : { active: active ? 1 : 0 }),
          updated_at: new Date().toISOString(),
        })
        .where('id', '=', id);
      const staysAdmin = (now: Selectable<MembersTable>): boolean => (role ?? now.role) === 'admin' && (active ?? now.active === 1);
      return queue.run(() => {
        const now = connection.first(db.selectFrom('members').selectAll().where('id', '=', id).compile());
        const isAdmin = now?.role === 'admin' && now.active === 1;
        if (now !== undefined && isAdmin && !staysAdmin(now) && (connection.first(others.compile())?.count ?? 0) === 0) return 'last_admin';
        connection.run(change.compile());
        return 'kept';
      });
    },

    ...createJoinLinks({
      connection,
      db,
      queue,
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
export function accountTables(db: QueryBuilder): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('members')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('name_key', 'text', (c) => c.notNull().unique())
        .addColumn('email', 'text', (c) => c.notNull().unique())
        .addColumn('email_verified', 'integer', (c) => c.notNull())
        .addColumn('image', 'text')
        .addColumn('role', 'text', (c) => c.notNull())
        .addColumn('active', 'integer', (c) => c.notNull().defaultTo(1))
        .addColumn('sign_in', 'text', (c) => c.notNull())
        .addColumn('last_seen_at', 'integer')
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'text', (c) => c.notNull()),
    ),
    strict(
      db.schema
        .createTable('member_sessions')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('token', 'text', (c) => c.notNull().unique())
        .addColumn('member_id', 'text', (c) => c.notNull().references('members.id').onDelete('cascade'))
        .addColumn('ip_address', 'text')
        .addColumn('user_agent', 'text')
        .addColumn('used_at', 'integer')
        .addColumn('expires_at', 'text', (c) => c.notNull())
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'text', (c) => c.notNull()),
    ),
    db.schema.createIndex('member_sessions_by_member').on('member_sessions').columns(['member_id']),
    strict(
      db.schema
        .createTable('member_credentials')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('member_id', 'text', (c) => c.notNull().references('members.id').onDelete('cascade'))
        .addColumn('provider_id', 'text', (c) => c.notNull())
        .addColumn('account_id', 'text', (c) => c.notNull())
        .addColumn('password', 'text')
        .addColumn('access_token', 'text')
        .addColumn('refresh_token', 'text')
        .addColumn('id_token', 'text')
        .addColumn('access_token_expires_at', 'text')
        .addColumn('refresh_token_expires_at', 'text')
        .addColumn('scope', 'text')
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'text', (c) => c.notNull())
        .addUniqueConstraint('member_credentials_account', ['provider_id', 'account_id']),
    ),
    db.schema.createIndex('member_credentials_by_member').on('member_credentials').columns(['member_id']),
    strict(
      db.schema
        .createTable('sign_in_states')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('identifier', 'text', (c) => c.notNull())
        .addColumn('value', 'text', (c) => c.notNull())
        .addColumn('expires_at', 'text', (c) => c.notNull())
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'text', (c) => c.notNull()),
    ),
    db.schema.createIndex('sign_in_states_by_identifier').on('sign_in_states').columns(['identifier']),
    strict(
      db.schema
        .createTable('join_links')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('kind', 'text', (c) => c.notNull())
        .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
        .addColumn('email', 'text')
        .addColumn('role', 'text', (c) => c.notNull())
        .addColumn('invited_by', 'text')
        .addColumn('created_at', 'integer', (c) => c.notNull())
        .addColumn('expires_at', 'integer', (c) => c.notNull()),
    ),
  ];
}

/**
 * Writes by better-auth use the same queue: reads run at once, writes in groups, each on disk when it is answered. No
 * transactions across its queries, because other writes share the group.
 */
function createAccountDialect(connection: Connection, queue: WriteQueue): Dialect {
  const executor: DatabaseConnection = {
    async executeQuery<Row>(asked: CompiledQuery): Promise<QueryResult<Row>> {
      // Kysely knows the columns of its compiled query.
      const query = asked as CompiledQuery<Row>;
      if (query.query.kind === 'SelectQueryNode') return { rows: connection.all(query) };
      const returns = 'returning' in query.query && query.query.returning !== undefined;
      return queue.run(() => {
        if (returns) return { rows: connection.all(query) };
        const { changes } = connection.run(query);
        return { rows: [], numAffectedRows: BigInt(changes) };
      });
    },
    streamQuery() {
      throw new Error('Account rows cannot be streamed.');
    },
  };
  const refuse = async (): Promise<never> => {
    throw new Error('Transactions are not supported; each write is one.');
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
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
