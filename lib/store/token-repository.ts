import type { Selectable, Compilable } from 'kysely';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { changesOf, type Columns, countOf, type Database, type Db, fromColumns, toColumns } from './database.ts';
import type { TokenRepository, TokenRow } from './account-store.ts';
import { strictTable } from './dialect.ts';

const toolsSchema = z.array(z.string());

export function createTokenRepository(database: Database): TokenRepository {
  const { read, write } = database;
  async function countWorking(db: Db, at: number): Promise<number> {
    return await countOf(db.selectFrom('api_tokens').where('revoked_at', 'is', null).where('expires_at', '>', at));
  }

  const first = async (row: Selectable<ApiTokensTable> | undefined): Promise<TokenRow | null> => (row === undefined ? null : readRow(row));

  return {
    insert(row) {
      const { tools, ...columns } = row;
      return write(async (db) => {
        const tools_json = tools === null ? null : JSON.stringify(tools);
        const insert = db.insertInto('api_tokens').values({ ...toColumns(columns), tools_json });
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

function readRow({ tools_json: tools, ...row }: Selectable<ApiTokensTable>): TokenRow {
  return { ...fromColumns<Omit<TokenRow, 'tools'>>(row), tools: tools === null ? null : toolsSchema.parse(JSON.parse(tools)) };
}

export interface ApiTokensTable extends Columns<Omit<TokenRow, 'tools'>> {
  /** Null: any tool. */
  tools_json: string | null;
}

/** API tokens: only their hashes, never the text. */
export function tokenTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`api_tokens (id text primary key, hash text unique, prefix text, name text, owner_id text, role text,
      tools_json text?, created_at integer, expires_at integer, last_used_at integer?, revoked_at integer?)`,
    db.schema.createIndex('api_tokens_by_owner').on('api_tokens').columns(['owner_id']),
  ];
}
