import { sql } from 'kysely';
import type { ExpressionBuilder } from 'kysely';
import type { GroupCounts, GroupFilter } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { nameKey } from './account-store.ts';
import type { FailureGroupRepository } from './failure-group-store.ts';
import { createGroupReader } from './failure-group-rows.ts';
import type { GroupRow } from './failure-group-rows.ts';
import { createGroupMoves } from './failure-group-moves.ts';
import { createGroupWrites } from './failure-group-writes.ts';
import { newestOfGroup, toFailure } from './failure-repository.ts';
import { decodeCursor, decodeTimeCursor, encodeCursor, encodeTimeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { Tables } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

const LISTED = { comments: 3, activity: 5, isListed: true };
const WHOLE = { comments: LIMITS.commentsPerGroup, activity: LIMITS.activitiesKept, isListed: false };

export function createFailureGroupRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): FailureGroupRepository {
  const reader = createGroupReader(connection, db);

  /** The group with that id, or the one it was merged into. */
  function find(id: string): GroupRow | undefined {
    const row = connection.first(db.selectFrom('failure_groups').selectAll().where('id', '=', id).compile());
    if (row === undefined || row.merged_into === null) return row;
    return connection.first(db.selectFrom('failure_groups').selectAll().where('id', '=', row.merged_into).compile());
  }

  function page(filter: GroupFilter, after: { readonly time: number; readonly id: string } | null) {
    let query = db.selectFrom('failure_groups').selectAll().where('merged_into', 'is', null);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    if (filter.extension !== undefined) query = query.where('extension', '=', filter.extension);
    if (filter.code !== undefined) query = query.where('code', '=', filter.code);
    if (filter.assignee === '') query = query.where('assignee', 'is', null);
    else if (filter.assignee !== undefined) query = query.where(isAssignedTo(filter.assignee));
    if (filter.mentions !== undefined) query = query.where('id', 'in', mentioning(filter.mentions));
    if (filter.regression !== undefined) query = query.where('regression', '=', filter.regression ? 1 : 0);
    for (const word of (filter.q ?? '').split(/\s+/).filter((each) => each !== '')) {
      const like = `%${word.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
      query = query.where(
        sql<boolean>`(title like ${like} escape '\\' or extension like ${like} escape '\\' or code like ${like} escape '\\')`,
      );
    }
    if (after !== null) query = query.where(sql<boolean>`(last_seen, id) < (${new Date(after.time).toISOString()}, ${after.id})`);
    return query
      .orderBy('last_seen', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit + 1);
  }

  /** By the member's current name; by the assigned name when it is no member's. */
  function isAssignedTo(name: string) {
    const member = db.selectFrom('members').select('id').where('name_key', '=', nameKey(name));
    return (eb: ExpressionBuilder<Tables, 'failure_groups'>) =>
      eb.or([eb.and([eb('assignee_id', 'is', null), eb('assignee', '=', name)]), eb('assignee_id', 'in', member)]);
  }

  function mentioning(memberId: string) {
    return db
      .selectFrom('failure_mentions')
      .innerJoin('failure_comments', 'failure_comments.id', 'failure_mentions.comment_id')
      .select('failure_comments.group_id')
      .where('failure_mentions.member_id', '=', memberId);
  }

  return {
    list(filter, now) {
      const after = filter.cursor === undefined ? null : decodeTimeCursor('failures', filter.cursor);
      if (filter.cursor !== undefined && after === null) return null;
      const rows = connection.all(page(filter, after).compile());
      const shown = rows.slice(0, filter.limit);
      const last = shown.at(-1);
      const hasMore = rows.length > filter.limit && last !== undefined;
      return {
        groups: shown.map((row) => reader.group(row, LISTED, now)),
        next_cursor: hasMore ? encodeTimeCursor('failures', Date.parse(last.last_seen), last.id) : null,
      };
    },

    get(id, now) {
      const row = find(id);
      if (row === undefined) return null;
      return {
        ...reader.group(row, WHOLE, now),
        fingerprints: reader.fingerprints(row),
        environment: reader.environment(row),
        occurrences: reader.occurrences(row),
      };
    },

    counts() {
      const counts: GroupCounts = { open: 0, acknowledged: 0, ignored: 0, resolved: 0 };
      const query = db
        .selectFrom('failure_groups')
        .select(['status', sql<number>`count(*)`.as('count')])
        .where('merged_into', 'is', null)
        .groupBy('status');
      for (const { status, count } of connection.all(query.compile())) counts[status] = count;
      return counts;
    },

    countMentioning(memberId) {
      const query = db
        .selectFrom('failure_groups')
        .select(sql<number>`count(*)`.as('count'))
        .where('merged_into', 'is', null)
        .where('status', 'in', ['open', 'acknowledged'])
        .where('id', 'in', mentioning(memberId));
      return connection.first(query.compile())?.count ?? 0;
    },

    occurrences(id, { cursor, limit }) {
      const keys = cursor === undefined ? [] : decodeCursor('occurrences', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      let query = db
        .selectFrom('failures')
        .selectAll()
        .where('group_id', '=', find(id)?.id ?? id)
        .orderBy('seq', 'desc')
        .limit(limit + 1);
      if (before !== undefined) query = query.where('seq', '<', before);
      const rows = connection.all(query.compile());
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        failures: shown.map(toFailure),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('occurrences', [last.seq]) : null,
      };
    },

    latest(id) {
      const row = connection.first(newestOfGroup(db, find(id)?.id ?? id).compile());
      return row === undefined ? null : { failure: toFailure(row), goodRevision: row.good_revision };
    },

    unsettled() {
      const query = db
        .selectFrom('failure_groups')
        .select(['id', 'extension', 'stage', 'code'])
        .where('merged_into', 'is', null)
        .where((eb) =>
          eb.or([eb('status', 'in', ['open', 'acknowledged']), eb.and([eb('status', '=', 'ignored'), eb('ignore_until', 'is not', null)])]),
        );
      return connection.all(query.compile()).map((row) => ({
        ...row,
        revision: connection.first(newestOfGroup(db, row.id).compile())?.revision ?? null,
      }));
    },

    nextEndOfIgnoring() {
      const query = db
        .selectFrom('failure_groups')
        .select('ignore_until')
        .where('status', '=', 'ignored')
        .where('ignore_until', 'like', '2%')
        .orderBy('ignore_until')
        .limit(1);
      return connection.first(query.compile())?.ignore_until ?? null;
    },

    ...createGroupWrites({ connection, db, queue, find }),
    ...createGroupMoves({ connection, db, queue, find }),
  };
}
