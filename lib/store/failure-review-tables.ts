import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { Db } from './database.ts';
import { strict } from './dialect.ts';

/**
 * How groups are found (several fingerprints may refer to one group), their occurrences, and people's comments and
 * actions.
 */
export function failureReviewTables(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('failure_groups').addColumn('cause', 'text', (c) => c.notNull().defaultTo('')),
    db.schema.alterTable('failure_groups').addColumn('merged_into', 'text'),
    db.schema.alterTable('failure_groups').addColumn('ignored_revision', 'integer'),
    db.schema.alterTable('failure_groups').addColumn('regressed_by_json', 'text'),
    db.schema.alterTable('failures').addColumn('good_revision', 'integer'),
    db.schema.alterTable('failures').addColumn('environment_json', 'text'),
    db.schema.createIndex('failure_groups_by_cause').on('failure_groups').columns(['cause', 'status']),
    db.schema.createIndex('failure_groups_by_last').on('failure_groups').columns(['last_seen', 'id']),
    strict(
      db.schema
        .createTable('failure_fingerprints')
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('own_group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('basis_json', 'text')
        .addColumn('exact', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('failure_fingerprints_key', ['extension', 'fingerprint']),
    ),
    db.schema.createIndex('failure_fingerprints_by_group').on('failure_fingerprints').columns(['group_id']),
    db
      .insertInto('failure_fingerprints')
      .columns(['extension', 'fingerprint', 'group_id', 'own_group_id', 'exact'])
      .expression(
        db
          .selectFrom('failure_groups')
          .select(['extension', 'fingerprint', 'id as group_id', 'id as own_group_id', sql.lit(0).as('exact')]),
      ),
    strict(
      db.schema
        .createTable('failure_sightings')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('failure_id', 'text', (c) => c.notNull())
        .addColumn('seen_at', 'integer', (c) => c.notNull())
        .addColumn('snapshot_version', 'integer', (c) => c.notNull())
        .addColumn('revision', 'integer'),
    ),
    db.schema.createIndex('failure_sightings_by_group').on('failure_sightings').columns(['group_id', 'seq']),
    strict(
      db.schema
        .createTable('failure_comments')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('actor', 'text')
        .addColumn('text', 'text', (c) => c.notNull()),
    ),
    db.schema.createIndex('failure_comments_by_group').on('failure_comments').columns(['group_id', 'seq']),
    strict(
      db.schema
        .createTable('failure_activity')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('activity_json', 'text', (c) => c.notNull()),
    ),
    db.schema.createIndex('failure_activity_by_group').on('failure_activity').columns(['group_id', 'seq']),
  ];
}

/** Members of a team in failure review: assignees, and members mentioned in comments. */
export function failureMemberTables(db: Db): readonly Compilable[] {
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
