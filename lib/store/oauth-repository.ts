import type { Compilable, Selectable } from 'kysely';
import * as z from 'zod';
import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action, Role } from '#lib/contract/actions.ts';
import { changesOf } from './database.ts';
import type { Database, Db } from './database.ts';
import type { OAuthClientRow, OAuthGrantRow, OAuthRepository, OAuthTokenKind, OAuthTokenRow } from './account-store.ts';
import { strictTable } from './dialect.ts';

const listSchema = z.array(z.string());

export function createOAuthRepository({ read, write }: Database): OAuthRepository {
  return {
    insertClient(row, { most, unusedBefore }) {
      return write(async (db) => {
        await db.deleteFrom('oauth_clients').where('used_at', 'is', null).where('created_at', '<', unusedBefore).execute();
        const counted = await db
          .selectFrom('oauth_clients')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirst();
        if ((counted?.count ?? 0) >= most) return 'full';
        await db
          .insertInto('oauth_clients')
          .values({
            id: row.id,
            name: row.name,
            uri: row.uri,
            redirect_uris_json: JSON.stringify(row.redirectUris),
            created_at: row.createdAt,
            used_at: row.usedAt,
          })
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
        const active = await db
          .selectFrom('oauth_grants')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('member_id', '=', grant.memberId)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', grant.createdAt)
          .executeTakeFirst();
        if ((active?.count ?? 0) >= most) return 'full';
        await db
          .insertInto('oauth_grants')
          .values({
            id: grant.id,
            member_id: grant.memberId,
            client_id: grant.clientId,
            client_name: grant.clientName,
            client_host: grant.clientHost,
            role: grant.role,
            scopes_json: JSON.stringify(grant.scopes),
            tools_json: grant.tools === null ? null : JSON.stringify(grant.tools),
            resource: grant.resource,
            created_at: grant.createdAt,
            expires_at: grant.expiresAt,
            last_used_at: grant.lastUsedAt,
            revoked_at: grant.revokedAt,
          })
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
      return row === undefined || grant === null ? null : { token: readToken(row), grant };
    },
    exchange(hash, at, next, grantExpiresAt) {
      return write(async (db) => {
        const used = db.updateTable('oauth_tokens').set({ used_at: at }).where('hash', '=', hash).where('used_at', 'is', null);
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
  const values = rows.map((row) => ({
    hash: row.hash,
    grant_id: row.grantId,
    kind: row.kind,
    expires_at: row.expiresAt,
    used_at: row.usedAt,
    redirect_uri: row.redirectUri,
    challenge: row.challenge,
  }));
  await db.insertInto('oauth_tokens').values(values).execute();
}

function readClient(row: Selectable<OAuthClientsTable>): OAuthClientRow {
  const { id, name, uri } = row;
  const redirectUris = listSchema.parse(JSON.parse(row.redirect_uris_json));
  return { id, name, uri, redirectUris, createdAt: row.created_at, usedAt: row.used_at };
}

function readGrant(row: Selectable<OAuthGrantsTable>): OAuthGrantRow {
  const { id, role, resource } = row;
  return {
    id,
    role,
    resource,
    memberId: row.member_id,
    clientId: row.client_id,
    clientName: row.client_name,
    clientHost: row.client_host,
    scopes: listSchema.parse(JSON.parse(row.scopes_json)).filter(isAction),
    tools: row.tools_json === null ? null : listSchema.parse(JSON.parse(row.tools_json)),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

function readToken(row: Selectable<OAuthTokensTable>): OAuthTokenRow {
  const { hash, kind, challenge } = row;
  return { hash, kind, challenge, grantId: row.grant_id, expiresAt: row.expires_at, usedAt: row.used_at, redirectUri: row.redirect_uri };
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACTIONS, name);
}

export interface OAuthClientsTable {
  id: string;
  name: string;
  uri: string | null;
  redirect_uris_json: string;
  created_at: number;
  used_at: number | null;
}

export interface OAuthGrantsTable {
  id: string;
  member_id: string;
  client_id: string;
  client_name: string;
  client_host: string | null;
  role: Role;
  scopes_json: string;
  /** Null: any tool. */
  tools_json: string | null;
  resource: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface OAuthTokensTable {
  hash: string;
  grant_id: string;
  kind: OAuthTokenKind;
  expires_at: number;
  used_at: number | null;
  redirect_uri: string | null;
  challenge: string | null;
}

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
