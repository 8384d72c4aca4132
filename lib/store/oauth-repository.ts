import type { Compilable, Selectable } from 'kysely';
import * as z from 'zod';
import { type Action, ACTIONS } from '#lib/contract/actions.ts';
import { changesOf, type Columns, countOf, type Database, type Db, fromColumns, toColumns } from './database.ts';
import type { OAuthClientRow, OAuthGrantRow, OAuthRepository, OAuthTokenRow } from './account-store.ts';
import { strictTable } from './dialect.ts';

const listSchema = z.array(z.string());

export function createOAuthRepository({ read, write }: Database): OAuthRepository {
  return {
    insertClient(row, { most, unusedBefore }) {
      return write(async (db) => {
        await db.deleteFrom('oauth_clients').where('used_at', 'is', null).where('created_at', '<', unusedBefore).execute();
        if ((await countOf(db.selectFrom('oauth_clients'))) >= most) return 'full';
        const { redirectUris, ...columns } = row;
        await db
          .insertInto('oauth_clients')
          .values({ ...toColumns(columns), redirect_uris_json: JSON.stringify(redirectUris) })
          .execute();
        return 'stored';
      });
    },
    async client(id) {
      const row = await read.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : readClient(row);
    },
    insertGrant(grant, code, most) {
      return write(async (db) => {
        const active = db.selectFrom('oauth_grants').where('member_id', '=', grant.memberId).where('revoked_at', 'is', null);
        if ((await countOf(active.where('expires_at', '>', grant.createdAt))) >= most) return 'full';
        const { scopes, tools, ...columns } = grant;
        await db
          .insertInto('oauth_grants')
          .values({ ...toColumns(columns), scopes_json: JSON.stringify(scopes), tools_json: tools === null ? null : JSON.stringify(tools) })
          .execute();
        await insertTokens(db, [code]);
        await db.updateTable('oauth_clients').set({ used_at: grant.createdAt }).where('id', '=', grant.clientId).execute();
        return 'stored';
      });
    },
    grant: (id) => grantOf(read, id),
    async grants() {
      const query = read.selectFrom('oauth_grants').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc');
      return (await query.execute()).map(readGrant);
    },
    async find(hash) {
      const row = await read.selectFrom('oauth_tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
      const grant = row === undefined ? null : await grantOf(read, row.grant_id);
      return row === undefined || grant === null ? null : { token: fromColumns<OAuthTokenRow>(row), grant };
    },
    exchange(hash, { at, again }, next, grantExpiresAt) {
      return write(async (db) => {
        const used = db
          .updateTable('oauth_tokens')
          .set((eb) => ({ used_at: eb.fn.coalesce('used_at', eb.val(at)) }))
          .where('hash', '=', hash)
          .where((eb) => eb.or([eb('used_at', 'is', null), eb('used_at', '>', again)]));
        if (changesOf(await used.executeTakeFirst()) === 0) return false;
        const [first] = next;
        if (first === undefined) return true;
        await insertTokens(db, next);
        await db
          .updateTable('oauth_grants')
          .set({ expires_at: grantExpiresAt, last_used_at: at })
          .where('id', '=', first.grantId)
          .execute();
        return true;
      });
    },
    noteUse(grantId, at) {
      return write(async (db) => {
        await db.updateTable('oauth_grants').set({ last_used_at: at }).where('id', '=', grantId).execute();
      });
    },
    revoke(grantId, at) {
      return write(async (db) => {
        const query = db.updateTable('oauth_grants').set({ revoked_at: at }).where('id', '=', grantId).where('revoked_at', 'is', null);
        return changesOf(await query.executeTakeFirst()) > 0;
      });
    },
    sweep(expiredBefore, endedBefore, unusedBefore) {
      return write(async (db) => {
        // A used refresh token stays until its expiry, to detect its reuse.
        await db.deleteFrom('oauth_tokens').where('expires_at', '<', expiredBefore).execute();
        await db
          .deleteFrom('oauth_grants')
          .where((eb) => eb.or([eb('revoked_at', '<', endedBefore), eb('expires_at', '<', endedBefore)]))
          .execute();
        await db.deleteFrom('oauth_clients').where('used_at', '<', unusedBefore).execute();
      });
    },
  };
}

async function grantOf(db: Db, id: string): Promise<OAuthGrantRow | null> {
  const row = await db.selectFrom('oauth_grants').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : readGrant(row);
}

async function insertTokens(db: Db, rows: readonly OAuthTokenRow[]): Promise<void> {
  await db.insertInto('oauth_tokens').values(rows.map(toColumns)).execute();
}

function readClient({ redirect_uris_json: uris, ...row }: Selectable<OAuthClientsTable>): OAuthClientRow {
  return { ...fromColumns<Omit<OAuthClientRow, 'redirectUris'>>(row), redirectUris: listSchema.parse(JSON.parse(uris)) };
}

function readGrant({ scopes_json: scopes, tools_json: tools, ...row }: Selectable<OAuthGrantsTable>): OAuthGrantRow {
  return {
    ...fromColumns<Omit<OAuthGrantRow, 'scopes' | 'tools'>>(row),
    scopes: listSchema.parse(JSON.parse(scopes)).filter(isAction),
    tools: tools === null ? null : listSchema.parse(JSON.parse(tools)),
  };
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

export interface OAuthClientsTable extends Columns<Omit<OAuthClientRow, 'redirectUris'>> {
  redirect_uris_json: string;
}

export interface OAuthGrantsTable extends Columns<Omit<OAuthGrantRow, 'scopes' | 'tools'>> {
  scopes_json: string;
  /** Null: any tool. */
  tools_json: string | null;
}

export type OAuthTokensTable = Columns<OAuthTokenRow>;

/** Stores hashes of tokens, never the text. */
export function oauthTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`oauth_clients (id text primary key, name text, uri text?, redirect_uris_json text, created_at integer,
      used_at integer?)`,
    strictTable(db)`oauth_grants (id text primary key, member_id text, client_id text, client_name text, client_host text?, role text,
      scopes_json text, tools_json text?, resource text, created_at integer, expires_at integer, last_used_at integer?,
      revoked_at integer?)`,
    db.schema.createIndex('oauth_grants_by_member').on('oauth_grants').columns(['member_id']),
    strictTable(db)`oauth_tokens (hash text primary key, grant_id text, kind text, expires_at integer, used_at integer?,
      redirect_uri text?, challenge text?)`,
    db.schema.createIndex('oauth_tokens_by_expiry').on('oauth_tokens').columns(['expires_at']),
  ];
}
