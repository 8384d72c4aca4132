import type { Selectable } from 'kysely';
import { nameKey } from './account-store.ts';
import type { AccountRepository, JoinLinkRow, SessionChoice } from './account-store.ts';
import { changesOf } from './database.ts';
import type { Database, Db } from './database.ts';
import type { JoinLinksTable } from './account-columns.ts';

/**
 * Invitation links. What can go wrong: two people use one link at the same time, so its existence is checked in the
 * transaction that redeems it and creates the member.
 */
export type JoinLinks = Pick<AccountRepository, 'insertLink' | 'link' | 'invitations' | 'invitationFor' | 'removeLink' | 'join'>;

export interface JoinLinksOptions {
  readonly database: Database;
  readonly mostOpen: number;
  isNameFree(db: Db, name: string, except: string | null): Promise<boolean>;
  setPassword(db: Db, memberId: string, passwordHash: string): Promise<void>;
  endSessions(db: Db, which: SessionChoice): Promise<readonly string[]>;
}

export function createJoinLinks(options: JoinLinksOptions): JoinLinks {
  const { database, mostOpen, isNameFree, setPassword, endSessions } = options;
  const { read, write } = database;
  const open = (db: Db, now: number) => db.selectFrom('join_links').selectAll().where('expires_at', '>', now);
  const first = (row: Selectable<JoinLinksTable> | undefined): JoinLinkRow | null => (row === undefined ? null : readLink(row));
  const link = async (db: Db, secretHash: string, now: number): Promise<JoinLinkRow | null> =>
    first(await open(db, now).where('secret_hash', '=', secretHash).executeTakeFirst());
  const invitations = async (db: Db, now: number): Promise<readonly JoinLinkRow[]> =>
    (await open(db, now).where('kind', '=', 'invitation').orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(readLink);

  return {
    insertLink(row) {
      return write(async (db) => {
        // Servers that start together have one each: all end with the first member.
        const replaces = row.kind === 'recovery' || (row.kind === 'first_admin' && database.shared === null);
        if (replaces) await db.deleteFrom('join_links').where('kind', '=', row.kind).execute();
        else if (row.kind === 'invitation' && (await invitations(db, row.createdAt)).length >= mostOpen) return 'full';
        const insert = db.insertInto('join_links').values({
          id: row.id,
          kind: row.kind,
          secret_hash: row.secretHash,
          email: row.email,
          role: row.role,
          invited_by: row.invitedBy,
          created_at: row.createdAt,
          expires_at: row.expiresAt,
        });
        await insert.execute();
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

function readLink(row: Selectable<JoinLinksTable>): JoinLinkRow {
  return {
    id: row.id,
    kind: row.kind,
    secretHash: row.secret_hash,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
