import type { Selectable } from 'kysely';
import { nameKey } from './account-store.ts';
import type { AccountRepository, JoinLinkRow, SessionChoice } from './account-store.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { JoinLinksTable } from './account-columns.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Invitation links. What can go wrong: two people use one link at the same time, so its existence is checked in the
 * transaction that redeems it and creates the member.
 */
export type JoinLinks = Pick<AccountRepository, 'insertLink' | 'link' | 'invitations' | 'invitationFor' | 'removeLink' | 'join'>;

export interface JoinLinksOptions {
  readonly connection: Connection;
  readonly db: QueryBuilder;
  readonly queue: WriteQueue;
  readonly mostOpen: number;
  isNameFree(name: string, except: string | null): boolean;
  setPassword(memberId: string, passwordHash: string): void;
  endSessions(which: SessionChoice): readonly string[];
}

export function createJoinLinks(options: JoinLinksOptions): JoinLinks {
  const { connection, db, queue, mostOpen, isNameFree, setPassword, endSessions } = options;
  const open = (now: number) => db.selectFrom('join_links').selectAll().where('expires_at', '>', now);
  const first = (row: Selectable<JoinLinksTable> | undefined): JoinLinkRow | null => (row === undefined ? null : readLink(row));
  const link = (secretHash: string, now: number): JoinLinkRow | null =>
    first(connection.first(open(now).where('secret_hash', '=', secretHash).compile()));
  const invitations = (now: number): readonly JoinLinkRow[] =>
    connection.all(open(now).where('kind', '=', 'invitation').orderBy('created_at', 'desc').orderBy('id', 'desc').compile()).map(readLink);

  return {
    insertLink(row) {
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
      const replaced = db.deleteFrom('join_links').where('kind', '=', row.kind);
      return queue.run(() => {
        if (row.kind !== 'invitation') connection.run(replaced.compile());
        else if (invitations(row.createdAt).length >= mostOpen) return 'full';
        connection.run(insert.compile());
        return 'kept';
      });
    },

    link,
    invitations,
    invitationFor: (email, now) =>
      first(
        connection.first(open(now).where('kind', '=', 'invitation').where('email', '=', email).orderBy('created_at', 'desc').compile()),
      ),

    removeLink(id) {
      const query = db.deleteFrom('join_links').where('id', '=', id).compile();
      return queue.run(() => connection.run(query).changes > 0);
    },

    join(secretHash, { id, name, email, passwordHash }, now) {
      const at = new Date(now).toISOString();
      return queue.run(() => {
        const found = link(secretHash, now);
        if (found === null) return { kind: 'link_invalid' };
        if (found.kind === 'first_admin' && connection.first(db.selectFrom('members').select('id').limit(1).compile()) !== undefined)
          return { kind: 'link_invalid' };
        if (found.email !== null && found.email !== email) return { kind: 'email_other' };
        const member = connection.first(db.selectFrom('members').select(['id', 'role', 'active']).where('email', '=', email).compile());
        const known = member?.id ?? null;
        const isHis = found.kind === 'recovery' || (found.email !== null && member?.active === 1);
        if (known !== null && !isHis) return { kind: 'email_taken' };
        const role = found.kind === 'invitation' && member !== undefined ? member.role : found.role;
        if (!isNameFree(name, known)) return { kind: 'name_taken' };
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
          connection.run(db.insertInto('members').values(row).compile());
        } else connection.run(db.updateTable('members').set(values).where('id', '=', known).compile());
        setPassword(memberId, passwordHash);
        connection.run(db.deleteFrom('join_links').where('id', '=', found.id).compile());
        const ended = endSessions({ memberId, except: null });
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
