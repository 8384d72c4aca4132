import { sql } from 'kysely';
import type { ExpressionBuilder } from 'kysely';
import type { GroupCounts, GroupFilter } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { nameKey } from './account-store.ts';
import type { FailureGroupRepository } from './failure-group-store.ts';
import { createGroupReader, findGroup } from './failure-group-rows.ts';
import { createGroupMoves, createGroupWrites } from './failure-group-writes.ts';
import { newestOfGroup, toFailure } from './failure-repository.ts';
import { decodeCursor, decodeTimeCursor, encodeCursor, encodeTimeCursor } from './page-cursor.ts';
import type { Database, Db } from './database.ts';
import type { Tables } from './tables.ts';

const LISTED = { comments: 3, activity: 5, isListed: true };
const WHOLE = { comments: LIMITS.commentsPerGroup, activity: LIMITS.activitiesKept, isListed: false };

export function createFailureGroupRepository(database: Database): FailureGroupRepository {
  const { read, dialect } = database;
  const reader = createGroupReader(read);

  function page(db: Db, filter: GroupFilter, after: { readonly time: number; readonly id: string } | null) {
    let query = db.selectFrom('failure_groups').selectAll().where('merged_into', 'is', null);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    if (filter.extension !== undefined) query = query.where('extension', '=', filter.extension);
    if (filter.code !== undefined) query = query.where('code', '=', filter.code);
    if (filter.assignee === '') query = query.where('assignee', 'is', null);
    else if (filter.assignee !== undefined) query = query.where(isAssignedTo(db, filter.assignee));
    if (filter.mentions !== undefined) query = query.where('id', 'in', mentioning(db, filter.mentions));
    if (filter.regression !== undefined) query = query.where('regression', '=', filter.regression ? 1 : 0);
    for (const word of (filter.q ?? '').split(/\s+/).filter((each) => each !== '')) {
      const like = `%${word.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
      query = query.where(
        sql<boolean>`(${sql.join(
          ['title', 'extension', 'code'].map((column) => dialect.isLike(column, like)),
          sql` or `,
        )})`,
      );
    }
    if (after !== null) query = query.where(sql<boolean>`(last_seen, id) < (${new Date(after.time).toISOString()}, ${after.id})`);
    return query
      .orderBy('last_seen', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit + 1);
  }

  /** By the member's current name; by the assigned name when it is no member's. */
  function isAssignedTo(db: Db, name: string) {
    const member = db.selectFrom('members').select('id').where('name_key', '=', nameKey(name));
    return (eb: ExpressionBuilder<Tables, 'failure_groups'>) =>
      eb.or([eb.and([eb('assignee_id', 'is', null), eb('assignee', '=', name)]), eb('assignee_id', 'in', member)]);
  }

  function mentioning(db: Db, memberId: string) {
    return db
      .selectFrom('failure_mentions')
      .innerJoin('failure_comments', 'failure_comments.id', 'failure_mentions.comment_id')
      .select('failure_comments.group_id')
      .where('failure_mentions.member_id', '=', memberId);
  }

  return {
    async list(filter, now) {
      const after = filter.cursor === undefined ? null : decodeTimeCursor('failures', filter.cursor);
      if (filter.cursor !== undefined && after === null) return null;
      const rows = await page(read, filter, after).execute();
      const shown = rows.slice(0, filter.limit);
      const last = shown.at(-1);
      const hasMore = rows.length > filter.limit && last !== undefined;
      return {
        groups: await Promise.all(shown.map((row) => reader.group(row, LISTED, now))),
        next_cursor: hasMore ? encodeTimeCursor('failures', Date.parse(last.last_seen), last.id) : null,
      };
    },

    async get(id, now) {
      const row = await findGroup(read, id);
      if (row === undefined) return null;
      return {
        ...(await reader.group(row, WHOLE, now)),
        fingerprints: await reader.fingerprints(row),
        environment: await reader.environment(row),
        occurrences: await reader.occurrences(row),
      };
    },

    async counts() {
      const counts: GroupCounts = { open: 0, acknowledged: 0, ignored: 0, resolved: 0 };
      const query = read
        .selectFrom('failure_groups')
        .select(['status', sql<number>`count(*)`.as('count')])
        .where('merged_into', 'is', null)
        .groupBy('status');
      for (const { status, count } of await query.execute()) counts[status] = count;
      return counts;
    },

    async countMentioning(memberId) {
      const query = read
        .selectFrom('failure_groups')
        .select(sql<number>`count(*)`.as('count'))
        .where('merged_into', 'is', null)
        .where('status', 'in', ['open', 'acknowledged'])
        .where('id', 'in', mentioning(read, memberId));
      return (await query.executeTakeFirst())?.count ?? 0;
    },

    async occurrences(id, { cursor, limit }) {
      const keys = cursor === undefined ? [] : decodeCursor('occurrences', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      let query = read
        .selectFrom('failures')
        .selectAll()
        .where('group_id', '=', (await findGroup(read, id))?.id ?? id)
        .orderBy('seq', 'desc')
        .limit(limit + 1);
      if (before !== undefined) query = query.where('seq', '<', before);
      const rows = await query.execute();
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        failures: shown.map(toFailure),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('occurrences', [last.seq]) : null,
      };
    },

    async latest(id) {
      const row = await newestOfGroup(read, (await findGroup(read, id))?.id ?? id).executeTakeFirst();
      return row === undefined ? null : { failure: toFailure(row), goodRevision: row.good_revision };
    },

    async unsettled() {
      const query = read
        .selectFrom('failure_groups')
        .select(['id', 'extension', 'stage', 'code'])
        .where('merged_into', 'is', null)
        .where((eb) =>
          eb.or([eb('status', 'in', ['open', 'acknowledged']), eb.and([eb('status', '=', 'ignored'), eb('ignore_until', 'is not', null)])]),
        );
      const revision = sql<number | null>`(select revision from failures where failures.group_id = failure_groups.id
        order by failures.last_seen desc, failures.seq desc limit 1)`;
      const instance = sql<string | null>`(select instance from failures where failures.group_id = failure_groups.id
        order by failures.last_seen desc, failures.seq desc limit 1)`;
      return query.select([revision.as('revision'), instance.as('instance')]).execute();
    },

    async nextEndOfIgnoring() {
      const query = read
        .selectFrom('failure_groups')
        .select('ignore_until')
        .where('status', '=', 'ignored')
        .where('ignore_until', 'like', '2%')
        .orderBy('ignore_until')
        .limit(1);
      return (await query.executeTakeFirst())?.ignore_until ?? null;
    },

    ...createGroupWrites(database),
    ...createGroupMoves(database),
  };
}
