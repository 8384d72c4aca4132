import type { Compilable, Generated } from 'kysely';
import type { FailureCode, FailureStage } from '#lib/contract/failure-codes.ts';
import type { Db } from './database.ts';
import { strict } from './strict-table.ts';
import type { Bit } from './tables.ts';

/** The tables of failures and their review; tables.ts explains the conventions. */

export interface FailureGroupsTable {
  id: string;
  extension: string;
  fingerprint: string;
  title: string;
  stage: FailureStage;
  code: FailureCode;
  status: 'open' | 'acknowledged' | 'ignored' | 'resolved';
  regression: Bit;
  count: number;
  first_seen: string;
  last_seen: string;
  first_version: number;
  last_version: number;
  resolved_by_json: string | null;
  assignee: string | null;
  /** The member of that name at the time of assignment; a later rename applies. */
  assignee_id: string | null;
  ignore_until: string | null;
  reason: string | null;
  /** Equal for groups of other extensions with the same cause; empty in records from before causes existed. */
  cause: string;
  merged_into: string | null;
  /** Ignored until a different source fails. */
  ignored_revision: number | null;
  regressed_by_json: string | null;
}

/** The group that counts an occurrence. `own_group_id` is the group before any merge. */
export interface FailureFingerprintsTable {
  extension: string;
  fingerprint: string;
  group_id: string;
  own_group_id: string;
  basis_json: string | null;
  exact: Bit;
}

/** One per occurrence, the newest LIMITS.sightingsKept of each group. */
export interface FailureOccurrencesTable {
  seq: Generated<number>;
  group_id: string;
  failure_id: string;
  seen_at: number;
  snapshot_version: number;
  revision: number | null;
}

export interface FailureCommentsTable {
  seq: Generated<number>;
  id: string;
  group_id: string;
  created_at: string;
  actor: string | null;
  text: string;
}

/** Members mentioned in a comment, with their names at the time. */
export interface FailureMentionsTable {
  comment_id: string;
  member_id: string;
  name: string;
}

export interface FailureActivityTable {
  seq: Generated<number>;
  group_id: string;
  activity_json: string;
}

export interface FailuresTable {
  /** Order of arrival. */
  seq: Generated<number>;
  id: string;
  group_id: string;
  extension: string;
  revision: number | null;
  error: string;
  stage: FailureStage;
  code: FailureCode;
  message: string;
  hint: string;
  file: string | null;
  line: number | null;
  column: number | null;
  code_frame: string | null;
  stack: string | null;
  output: string | null;
  fingerprint: string;
  snapshot_version: number;
  first_seen: string;
  last_seen: string;
  count: number;
  /** The serving revision at the failure. */
  good_revision: number | null;
  environment_json: string | null;
  failed_checks_json: string | null;
  /** Null in records of older versions. */
  instance: string | null;
}

export interface FailureTables {
  failure_groups: FailureGroupsTable;
  failures: FailuresTable;
  failure_fingerprints: FailureFingerprintsTable;
  failure_sightings: FailureOccurrencesTable;
  failure_comments: FailureCommentsTable;
  failure_mentions: FailureMentionsTable;
  failure_activity: FailureActivityTable;
}

export function failureTables(db: Db): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('failure_groups')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('title', 'text', (c) => c.notNull())
        .addColumn('stage', 'text', (c) => c.notNull())
        .addColumn('code', 'text', (c) => c.notNull())
        .addColumn('status', 'text', (c) => c.notNull())
        .addColumn('regression', 'integer', (c) => c.notNull())
        .addColumn('count', 'integer', (c) => c.notNull())
        .addColumn('first_seen', 'text', (c) => c.notNull())
        .addColumn('last_seen', 'text', (c) => c.notNull())
        .addColumn('first_version', 'integer', (c) => c.notNull())
        .addColumn('last_version', 'integer', (c) => c.notNull())
        .addColumn('resolved_by_json', 'text')
        .addColumn('assignee', 'text')
        .addColumn('ignore_until', 'text')
        .addColumn('reason', 'text')
        .addUniqueConstraint('failure_groups_fingerprint', ['extension', 'fingerprint']),
    ),
    db.schema.createIndex('failure_groups_by_status').on('failure_groups').columns(['status', 'last_seen', 'id']),
    strict(
      db.schema
        .createTable('failures')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('group_id', 'text', (c) => c.notNull().references('failure_groups.id'))
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer')
        .addColumn('error', 'text', (c) => c.notNull())
        .addColumn('stage', 'text', (c) => c.notNull())
        .addColumn('code', 'text', (c) => c.notNull())
        .addColumn('message', 'text', (c) => c.notNull())
        .addColumn('hint', 'text', (c) => c.notNull())
        .addColumn('file', 'text')
        .addColumn('line', 'integer')
        .addColumn('column', 'integer')
        .addColumn('code_frame', 'text')
        .addColumn('stack', 'text')
        .addColumn('output', 'text')
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('snapshot_version', 'integer', (c) => c.notNull())
        .addColumn('first_seen', 'text', (c) => c.notNull())
        .addColumn('last_seen', 'text', (c) => c.notNull())
        .addColumn('count', 'integer', (c) => c.notNull()),
    ),
    db.schema.createIndex('failures_by_group').on('failures').columns(['group_id', 'seq']),
    db.schema.createIndex('failures_by_extension').on('failures').columns(['extension', 'seq']),
  ];
}

export function failureInstances(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('failures').addColumn('instance', 'text')];
}
