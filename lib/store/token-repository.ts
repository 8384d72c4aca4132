import type { Selectable, Compilable } from 'kysely';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Role } from '#lib/contract/actions.ts';
import { changesOf } from './database.ts';
import type { Database, Db } from './database.ts';
import type { TokenRepository, TokenRow } from './account-store.ts';
import { strictTable } from './dialect.ts';

const toolsSchema = z.array(z.string());

export function createTokenRepository(database: Database): TokenRepository {
  const { read, write } = database;
  async function countWorking(db: Db, at: number): Promise<number> {
    const query = db
      .selectFrom('api_tokens')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', at);
    return (await query.executeTakeFirst())?.count ?? 0;
  }

  const first = async (row: Selectable<ApiTokensTable> | undefined): Promise<TokenRow | null> => (row === undefined ? null : readRow(row));

  return {
    insert(row) {
      const { id, hash, prefix, name, role } = row;
      return write(async (db) => {
        const insert = db.insertInto('api_tokens').values({
          id,
          hash,
          prefix,
          name,
          role,
          owner_id: row.ownerId,
          toolset: row.toolset,
          tools_json: row.tools === null ? null : JSON.stringify(row.tools),
          created_at: row.createdAt,
          expires_at: row.expiresAt,
          last_used_at: row.lastUsedAt,
          revoked_at: row.revokedAt,
        });
        if ((await countWorking(db, row.createdAt)) >= LIMITS.tokensAtOnce) return 'full';
        await insert.execute();
        return 'stored';
      });
    },
    findByHash: async (hash) => first(await read.selectFrom('api_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()),
    get: async (id) => first(await read.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirst()),
    async list() {
      const query = read.selectFrom('api_tokens').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
      return (await query.execute()).map(readRow);
    },
    noteUse(id, at) {
      return write(async (db) => {
        const query = db.updateTable('api_tokens').set({ last_used_at: at }).where('id', '=', id);
        await query.execute();
      });
    },
    revoke(id, at) {
      return write(async (db) => {
        const query = db.updateTable('api_tokens').set({ revoked_at: at }).where('id', '=', id).where('revoked_at', 'is', null);
        return changesOf(await query.executeTakeFirst()) > 0;
      });
    },
    removeDead(before) {
      return write(async (db) => {
        const query = db.deleteFrom('api_tokens').where((eb) => eb.or([eb('revoked_at', '<', before), eb('expires_at', '<', before)]));
        return changesOf(await query.executeTakeFirst());
      });
    },
  };
}

function readRow(row: Selectable<ApiTokensTable>): TokenRow {
  const { id, hash, prefix, name, role } = row;
  return {
    id,
    hash,
    prefix,
    name,
    role,
    ownerId: row.owner_id,
    toolset: row.toolset,
    tools: row.tools_json === null ? null : toolsSchema.parse(JSON.parse(row.tools_json)),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

export interface ApiTokensTable {
  id: string;
  hash: string;
  prefix: string;
  name: string;
  owner_id: string;
  role: Role;
  /** Null: any tool. */
  tools_json: string | null;
  /** Null: not limited to one. */
  toolset: string | null;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** API tokens: only their hashes, never the text. */
export function tokenTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`api_tokens (id text primary key, hash text unique, prefix text, name text, owner_id text, role text,
      tools_json text?, created_at integer, expires_at integer, last_used_at integer?, revoked_at integer?)`,
    db.schema.createIndex('api_tokens_by_owner').on('api_tokens').columns(['owner_id']),
  ];
}
