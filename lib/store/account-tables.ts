import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/**
 * Members of a team, their sessions and what they sign in by. The columns of the first four are those that better-auth writes
 * (lib/accounts/auth-engine.ts names them for it); `name_key`, `role`, `active`, `sign_in` and the uses are ours.
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
