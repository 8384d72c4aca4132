import type { Compilable, Selectable } from 'kysely';
import { changesOf, type Columns, type Database, type Db, fromColumns, toColumns } from './database.ts';
import { strictTable } from './dialect.ts';

/** Sign-ins at MCP servers. Clients, tokens and verifiers are only in `sealed`. Times are epoch milliseconds. */
export interface ServerSignInRow {
  readonly server: string;
  /** Id of the member; '' for the server's own. */
  readonly member: string;
  readonly sealed: string;
  /** Hash of the `state` of a sign-in under way; null for none. */
  readonly state: string | null;
  readonly connectedBy: string | null;
  readonly connectedAt: number | null;
  readonly updatedAt: number;
}

export interface ServerSignInRepository {
  get(server: string, member: string): Promise<ServerSignInRow | null>;
  byState(state: string): Promise<ServerSignInRow | null>;
  /** The last connected ones first. */
  ofServer(server: string): Promise<readonly ServerSignInRow[]>;
  put(row: ServerSignInRow): Promise<void>;
  /** Only one server of several refreshes at a time. True: this one, until then. */
  claim(server: string, member: string, now: number, until: number): Promise<boolean>;
  release(server: string, member: string): Promise<void>;
  /** False: there was none. */
  remove(server: string, member: string): Promise<boolean>;
  /** Ids of the servers with sign-ins. */
  servers(): Promise<readonly string[]>;
}

export function createServerSignInRepository({ read, write }: Database): ServerSignInRepository {
  const first = (row: Selectable<ServerSignInsTable> | undefined): ServerSignInRow | null => (row === undefined ? null : readRow(row));
  return {
    get: async (server, member) =>
      first(
        await read.selectFrom('server_sign_ins').selectAll().where('server', '=', server).where('member', '=', member).executeTakeFirst(),
      ),
    byState: async (state) => first(await read.selectFrom('server_sign_ins').selectAll().where('state', '=', state).executeTakeFirst()),
    async ofServer(server) {
      const rows = await read.selectFrom('server_sign_ins').selectAll().where('server', '=', server).execute();
      return rows.map(readRow).toSorted((one, other) => (other.connectedAt ?? 0) - (one.connectedAt ?? 0));
    },
    put(row) {
      const { server, member, ...changed } = toColumns(row);
      return write(async (db) => {
        await db
          .insertInto('server_sign_ins')
          .values({ server, member, claimed_until: 0, ...changed })
          .onConflict((conflict) => conflict.columns(['server', 'member']).doUpdateSet(changed))
          .execute();
      });
    },
    claim(server, member, now, until) {
      return write(async (db) => {
        const query = db
          .updateTable('server_sign_ins')
          .set({ claimed_until: until })
          .where('server', '=', server)
          .where('member', '=', member)
          .where('claimed_until', '<=', now);
        return changesOf(await query.executeTakeFirst()) > 0;
      });
    },
    release(server, member) {
      return write(async (db) => {
        await db
          .updateTable('server_sign_ins')
          .set({ claimed_until: 0 })
          .where('server', '=', server)
          .where('member', '=', member)
          .execute();
      });
    },
    remove(server, member) {
      return write(async (db) => {
        const query = db.deleteFrom('server_sign_ins').where('server', '=', server).where('member', '=', member);
        return changesOf(await query.executeTakeFirst()) > 0;
      });
    },
    async servers() {
      const rows = await read.selectFrom('server_sign_ins').select('server').distinct().execute();
      return rows.map(({ server }) => server);
    },
  };
}

function readRow({ claimed_until: _, ...row }: Selectable<ServerSignInsTable>): ServerSignInRow {
  return fromColumns(row);
}

export interface ServerSignInsTable extends Columns<ServerSignInRow> {
  claimed_until: number;
}

export function serverSignInTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`server_sign_ins (server text, member text, sealed text, state text?, connected_by text?, connected_at integer?,
      claimed_until integer, updated_at integer)`.addPrimaryKeyConstraint('server_sign_ins_key', ['server', 'member']),
    db.schema.createIndex('server_sign_ins_by_state').on('server_sign_ins').columns(['state']),
  ];
}
