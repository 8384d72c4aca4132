import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/** Members of a team in the review of failures: who has one, and whom a comment names. */
export function failureMemberTables(db: QueryBuilder): readonly Compilable[] {
  return [
    db.schema.alterTable('failure_groups').addColumn('assignee_id', 'text'),
    strict(
      db.schema
        .createTable('failure_mentions')
        .addColumn('comment_id', 'text', (c) => c.notNull().references('failure_comments.id').onDelete('cascade'))
        .addColumn('member_id', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('failure_mentions_key', ['comment_id', 'member_id']),
    ),
    db.schema.createIndex('failure_mentions_by_member').on('failure_mentions').columns(['member_id', 'comment_id']),
  ];
}
