import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { Db } from './database.ts';
import { strictTable } from './dialect.ts';

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
    strictTable(db)`failure_fingerprints (extension text, fingerprint text, group_id text references failure_groups.id,
      own_group_id text references failure_groups.id, basis_json text?, exact integer)`.addPrimaryKeyConstraint(
      'failure_fingerprints_key',
      ['extension', 'fingerprint'],
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
    strictTable(db)`failure_sightings (seq integer primary key, group_id text references failure_groups.id, failure_id text,
      seen_at integer, snapshot_version integer, revision integer?)`,
    db.schema.createIndex('failure_sightings_by_group').on('failure_sightings').columns(['group_id', 'seq']),
    strictTable(db)`failure_comments (seq integer primary key, id text unique, group_id text references failure_groups.id,
      created_at text, actor text?, text text)`,
    db.schema.createIndex('failure_comments_by_group').on('failure_comments').columns(['group_id', 'seq']),
    strictTable(db)`failure_activity (seq integer primary key, group_id text references failure_groups.id, activity_json text)`,
    db.schema.createIndex('failure_activity_by_group').on('failure_activity').columns(['group_id', 'seq']),
  ];
}

/** Members of a team in failure review: assignees, and members mentioned in comments. */
export function failureMemberTables(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('failure_groups').addColumn('assignee_id', 'text'),
    strictTable(db)`failure_mentions (comment_id text references failure_comments.id cascade,
      member_id text, name text)`.addPrimaryKeyConstraint('failure_mentions_key', ['comment_id', 'member_id']),
    db.schema.createIndex('failure_mentions_by_member').on('failure_mentions').columns(['member_id', 'comment_id']),
  ];
}
