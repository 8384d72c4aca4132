import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/** Tokens of the API: never the text of one, only what it hashes to. */
export function tokenTables(db: QueryBuilder): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('api_tokens')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('hash', 'text', (c) => c.notNull().unique())
        .addColumn('prefix', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('owner_id', 'text', (c) => c.notNull())
        .addColumn('role', 'text', (c) => c.notNull())
        .addColumn('tools_json', 'text')
        .addColumn('created_at', 'integer', (c) => c.notNull())
        .addColumn('expires_at', 'integer', (c) => c.notNull())
        .addColumn('last_used_at', 'integer')
        .addColumn('revoked_at', 'integer'),
    ),
    db.schema.createIndex('api_tokens_by_owner').on('api_tokens').columns(['owner_id']),
  ];
}
