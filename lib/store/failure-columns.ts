import { createHash, randomUUIDv7 } from 'node:crypto';
import type { Compilable, Generated } from 'kysely';
import type { FailureCode, FailureStage } from '#lib/contract/failure-codes.ts';
import { type ActivityKind, type GroupActivity, groupActivitySchema } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Db } from './database.ts';
import { strictTable } from './dialect.ts';
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
interface FailureFingerprintsTable {
  extension: string;
  fingerprint: string;
  group_id: string;
  own_group_id: string;
  basis_json: string | null;
  exact: Bit;
}

/** One per occurrence, the newest LIMITS.sightingsKept of each group. */
interface FailureOccurrencesTable {
  seq: Generated<number>;
  group_id: string;
  failure_id: string;
  seen_at: number;
  snapshot_version: number;
  revision: number | null;
}

interface FailureCommentsTable {
  seq: Generated<number>;
  id: string;
  group_id: string;
  created_at: string;
  actor: string | null;
  text: string;
}

/** Members mentioned in a comment, with their names at the time. */
interface FailureMentionsTable {
  comment_id: string;
  member_id: string;
  name: string;
}

interface FailureActivityTable {
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
    strictTable(db)`failure_groups (id text primary key, extension text, fingerprint text, title text, stage text, code text,
      status text, regression integer, count integer, first_seen text, last_seen text, first_version integer, last_version integer,
      resolved_by_json text?, assignee text?, ignore_until text?, reason text?)`.addUniqueConstraint('failure_groups_fingerprint', [
      'extension',
      'fingerprint',
    ]),
    db.schema.createIndex('failure_groups_by_status').on('failure_groups').columns(['status', 'last_seen', 'id']),
    strictTable(db)`failures (seq integer primary key, id text unique, group_id text references failure_groups.id, extension text,
      revision integer?, error text, stage text, code text, message text, hint text, file text?, line integer?, column integer?,
      code_frame text?, stack text?, output text?, fingerprint text, snapshot_version integer, first_seen text, last_seen text,
      count integer)`,
    db.schema.createIndex('failures_by_group').on('failures').columns(['group_id', 'seq']),
    db.schema.createIndex('failures_by_extension').on('failures').columns(['extension', 'seq']),
  ];
}

export function failureInstances(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('failures').addColumn('instance', 'text')];
}

/** For split groups: the fingerprint with the exact message. */
export function exactFingerprint(fingerprint: string, message: string): string {
  return `${fingerprint}-${createHash('sha256').update(message).digest('hex').slice(0, 16)}`;
}

/** Actions of the host. */
export function automatic(at: string) {
  return { actor: null, automatic: true, created_at: at } as const;
}

/** Actions of a person, named or not. */
export function byPerson(act: { readonly actor: string | null; readonly at: string }) {
  return { actor: act.actor, automatic: false, created_at: act.at } as const;
}

type Given = Pick<GroupActivity, 'actor' | 'automatic' | 'created_at'> & Partial<GroupActivity> & { readonly kind: ActivityKind };

/** Within a write: adds an entry to the history of a group, limited to the newest LIMITS.activitiesKept. */
export async function addActivity(db: Db, groupId: string, given: Given): Promise<void> {
  const activity: GroupActivity = {
    id: randomUUIDv7(),
    from: null,
    to: null,
    reason: null,
    ignore_until: null,
    revision: null,
    fixed_in: null,
    snapshot_version: null,
    ...given,
  };
  await db
    .insertInto('failure_activity')
    .values({ group_id: groupId, activity_json: JSON.stringify(activity) })
    .execute();
  await dropOldest(db, 'failure_activity', groupId, LIMITS.activitiesKept);
}

/** The newest `limit`, oldest first. */
export async function readActivity(db: Db, groupId: string, limit: number): Promise<GroupActivity[]> {
  const query = db
    .selectFrom('failure_activity')
    .select('activity_json')
    .where('group_id', '=', groupId)
    .orderBy('seq', 'desc')
    .limit(limit);
  return (await query.execute()).map((row) => groupActivitySchema.parse(JSON.parse(row.activity_json))).reverse();
}

const DROPPED_AT_ONCE = 50;

/** Removes entries from a table with a higher former limit, some each time. */
export async function dropOldest(
  db: Db,
  table: 'failure_activity' | 'failure_sightings' | 'failures',
  groupId: string,
  kept: number,
): Promise<void> {
  const oldestKept = await db
    .selectFrom(table)
    .select('seq')
    .where('group_id', '=', groupId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(kept - 1)
    .executeTakeFirst();
  if (oldestKept === undefined) return;
  const dropped = db.selectFrom(table).select('seq').where('group_id', '=', groupId).where('seq', '<', oldestKept.seq).orderBy('seq');
  await db.deleteFrom(table).where('seq', 'in', dropped.limit(DROPPED_AT_ONCE)).execute();
}
