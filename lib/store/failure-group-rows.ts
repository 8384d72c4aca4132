import { type Selectable, sql } from 'kysely';
import type { Failure } from '#lib/contract/failure.ts';
import {
  type FailureEnvironment,
  failureEnvironmentSchema,
  type FailureGroup,
  groupBasisSchema,
  type GroupComment,
  type GroupFingerprint,
  type GroupOccurrences,
  type GroupTrend,
} from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { cutText } from './cut-text.ts';
import { newestOfGroup, readGroupRevision, toFailure } from './failure-repository.ts';
import { countOf, type Db } from './database.ts';
import { type FailureGroupsTable, readActivity } from './failure-columns.ts';

export type GroupRow = Selectable<FailureGroupsTable>;

const TREND_BARS = 24;
const HOUR = 3_600_000;
/** The trend covers the shortest of these that contains the first occurrence. */
const TREND_WINDOWS = [HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR];
const RELATED_MOST = 100;
const OCCURRENCES_MOST = 50;
const FINGERPRINTS_MOST = 50;

/** How much of the discussion is included. */
interface GroupDepth {
  readonly comments: number;
  readonly activity: number;
  readonly isListed: boolean;
}

/** The group with that id, or the one it was merged into. */
export async function findGroup(db: Db, id: string): Promise<GroupRow | undefined> {
  const row = await db.selectFrom('failure_groups').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.merged_into === null) return row;
  return db.selectFrom('failure_groups').selectAll().where('id', '=', row.merged_into).executeTakeFirst();
}

/** Reads a group's data from other tables. */
export function createGroupReader(db: Db) {
  async function comments(groupId: string, limit: number): Promise<{ shown: GroupComment[]; total: number }> {
    const of = db.selectFrom('failure_comments').where('group_id', '=', groupId);
    const shown = of.select(['id', 'created_at', 'actor', 'text']).orderBy('seq', 'desc').limit(limit);
    const total = await countOf(of);
    return { shown: total === 0 ? [] : (await withMentions(await shown.execute())).reverse(), total };
  }

  async function withMentions(shown: readonly GroupComment[]): Promise<GroupComment[]> {
    const query = db
      .selectFrom('failure_mentions')
      .select(['comment_id', 'member_id as id', 'name'])
      .where(
        'comment_id',
        'in',
        shown.map(({ id }) => id),
      )
      .orderBy('name');
    const mentions = Map.groupBy(await query.execute(), (row) => row.comment_id);
    return shown.map((comment) => {
      const named = mentions.get(comment.id)?.map(({ id, name }) => ({ id, name }));
      return named === undefined ? plain(comment) : { ...comment, mentions: named };
    });
  }

  /** A member is shown with their current name. */
  async function assignee(row: GroupRow): Promise<Pick<FailureGroup, 'assignee' | 'assignee_member'>> {
    if (row.assignee_id === null) return { assignee: row.assignee };
    const member = await db.selectFrom('members').select(['id', 'name', 'active']).where('id', '=', row.assignee_id).executeTakeFirst();
    if (member === undefined) return { assignee: row.assignee };
    return { assignee: member.name, assignee_member: { id: member.id, active: member.active === 1 } };
  }

  async function trend(row: GroupRow, now: Date): Promise<GroupTrend> {
    const age = now.getTime() - Date.parse(row.first_seen);
    const window = TREND_WINDOWS.find((ms) => ms >= age) ?? 30 * 24 * HOUR;
    const span = window / TREND_BARS;
    const from = now.getTime() - window;
    const bar = sql<number>`floor((seen_at - ${sql.lit(from)}) / ${sql.lit(span)})`;
    const query = db
      .selectFrom('failure_sightings')
      .select([bar.as('bar'), sql<number>`count(*)`.as('count')])
      .where('group_id', '=', row.id)
      .where('seen_at', '>', from)
      .groupBy(bar);
    const counts = Array.from({ length: TREND_BARS }, () => 0);
    for (const { bar: at, count } of await query.execute()) {
      const index = Math.min(TREND_BARS - 1, Math.max(0, at));
      counts[index] = (counts[index] ?? 0) + count;
    }
    return { until: now.toISOString(), span_ms: span, counts };
  }

  async function related(row: GroupRow): Promise<FailureGroup['related']> {
    if (row.cause === '') return [];
    const query = db
      .selectFrom('failure_groups')
      .select(['id', 'extension'])
      .where('cause', '=', row.cause)
      .where('status', 'in', ['open', 'acknowledged'])
      .where('merged_into', 'is', null)
      .where('id', '<>', row.id)
      .orderBy('extension')
      .limit(RELATED_MOST);
    return (await query.execute()).map(plain);
  }

  return {
    async group(row: GroupRow, depth: GroupDepth, now: Date): Promise<FailureGroup> {
      const latest = await newestOfGroup(db, row.id).executeTakeFirst();
      if (latest === undefined) throw new Error(`The failure group ${row.id} has no occurrence, which must not happen.`);
      const said = await comments(row.id, depth.comments);
      const failure = toFailure(latest);
      return {
        id: row.id,
        fingerprint: row.fingerprint,
        title: row.title,
        extension: row.extension,
        stage: row.stage,
        code: row.code,
        status: row.status,
        regression: row.regression === 1,
        count: row.count,
        first_seen: row.first_seen,
        last_seen: row.last_seen,
        first_version: row.first_version,
        last_version: row.last_version,
        resolved_by: readGroupRevision(row.resolved_by_json),
        regressed_by: readGroupRevision(row.regressed_by_json),
        ...(await assignee(row)),
        ignore_until: row.ignore_until,
        reason: row.reason,
        latest: depth.isListed ? cutFailure(failure) : failure,
        comments: said.shown,
        comment_count: said.total,
        activity: await readActivity(db, row.id, depth.activity),
        trend: await trend(row, now),
        related: await related(row),
      };
    },

    async fingerprints(row: GroupRow): Promise<GroupFingerprint[]> {
      const query = db.selectFrom('failure_fingerprints').selectAll().where('group_id', '=', row.id).limit(FINGERPRINTS_MOST);
      return (await query.execute()).map((print) => ({
        fingerprint: print.fingerprint,
        basis: print.basis_json === null ? null : groupBasisSchema.parse(JSON.parse(print.basis_json)),
        merged_from: print.own_group_id === row.id ? null : print.own_group_id,
        exact: print.exact === 1,
      }));
    },

    async occurrences(row: GroupRow): Promise<GroupOccurrences[]> {
      const query = db
        .selectFrom('failure_sightings')
        .select(['snapshot_version', 'revision', sql<number>`count(*)`.as('count')])
        .select([sql<number>`min(seen_at)`.as('first'), sql<number>`max(seen_at)`.as('last')])
        .where('group_id', '=', row.id)
        .groupBy(['snapshot_version', 'revision'])
        .orderBy('last', 'desc')
        .limit(OCCURRENCES_MOST);
      return (await query.execute()).map(({ snapshot_version, revision, count, first, last }) => ({
        snapshot_version,
        revision,
        count,
        first_seen: new Date(first).toISOString(),
        last_seen: new Date(last).toISOString(),
      }));
    },

    async environment(row: GroupRow): Promise<FailureEnvironment | null> {
      const json = (await newestOfGroup(db, row.id).executeTakeFirst())?.environment_json ?? null;
      return json === null ? null : failureEnvironmentSchema.parse(JSON.parse(json));
    },
  };
}

/** SQLite rows have no prototype, and such objects cannot be passed to a page. */
function plain<Row extends object>(row: Row): Row {
  return { ...row };
}

/** Lists contain no long texts; the group itself has them in full. */
function cutFailure(failure: Failure): Failure {
  const cut = (text: string | null): string | null => (text === null ? null : cutText(text, LIMITS.listValueBytes).text);
  const { failed_checks: _, ...rest } = failure;
  return { ...rest, message: cut(failure.message) ?? '', stack: cut(failure.stack), output: cut(failure.output) };
}
