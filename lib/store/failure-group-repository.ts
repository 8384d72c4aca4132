import { sql } from 'kysely';
import type { ExpressionBuilder } from 'kysely';
import { GROUP_STATUSES, type GroupCounts, type GroupFilter, UNTIL_CHANGED } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { nameKey } from './account-store.ts';
import type { FailureGroupRepository, Act, GroupSettings, SplitOutcome } from './failure-group-store.ts';
import { addActivity, automatic, byPerson, exactFingerprint } from './failure-columns.ts';
import { createGroupReader, findGroup, type GroupRow } from './failure-group-rows.ts';
import { newestOfGroup, toFailure } from './failure-repository.ts';
import { decodeCursor, decodeTimeCursor, encodeCursor, encodeTimeCursor } from './page-cursor.ts';
import type { Database, Db } from './database.ts';
import type { Tables } from './tables.ts';
import { randomUUIDv7 } from 'node:crypto';
import { failureTitle } from './cut-text.ts';

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

type Writes = Pick<FailureGroupRepository, 'resolve' | 'endIgnoring' | 'change' | 'comment'>;

const REOPENED = { status: 'open', ignore_until: null, ignored_revision: null, reason: null } as const;

/** Each field that is set replaces the old value; the activity records the old one. */
function createGroupWrites({ write }: Database): Writes {
  async function update(db: Db, id: string, columns: Partial<GroupRow>): Promise<void> {
    await db.updateTable('failure_groups').set(columns).where('id', '=', id).execute();
  }

  /** A new status also replaces the reason and the ignore period. */
  async function statusColumns(db: Db, row: GroupRow, settings: GroupSettings): Promise<Partial<GroupRow>> {
    const { status = row.status, reason = null, ignoreUntil = null, resolvedBy } = settings;
    const revision = (await newestOfGroup(db, row.id).executeTakeFirst())?.revision ?? null;
    return {
      status,
      reason,
      ignore_until: status === 'ignored' ? ignoreUntil : null,
      ignored_revision: status === 'ignored' && ignoreUntil === UNTIL_CHANGED ? revision : null,
      ...(status === 'resolved' && resolvedBy !== undefined ? { resolved_by_json: JSON.stringify(resolvedBy), regression: 0 } : {}),
    };
  }

  return {
    resolve(fixes, at) {
      return write(async (db) => {
        const resolved: string[] = [];
        for (const { id, by } of fixes) {
          const row = await findGroup(db, id);
          if (row === undefined || row.status === 'resolved' || (row.status === 'ignored' && row.ignore_until === null)) continue;
          await update(db, id, { ...REOPENED, status: 'resolved', regression: 0, resolved_by_json: JSON.stringify(by) });
          await addActivity(db, id, { ...automatic(at), kind: 'resolved', from: row.status, to: 'resolved', ...by });
          resolved.push(id);
        }
        return resolved;
      });
    },

    endIgnoring(now) {
      const at = now.toISOString();
      return write(async (db) => {
        const due = db
          .selectFrom('failure_groups')
          .select('id')
          .where('status', '=', 'ignored')
          .where('ignore_until', 'like', '2%')
          .where('ignore_until', '<=', at);
        const ids = (await due.execute()).map((row) => row.id);
        for (const id of ids) {
          await update(db, id, REOPENED);
          await addActivity(db, id, { ...automatic(at), kind: 'ignore_ended', from: 'ignored', to: 'open' });
        }
        return ids;
      });
    },

    change(id, settings, act) {
      return write(async (db) => {
        const row = await findGroup(db, id);
        if (row === undefined) return false;
        const isAnew =
          settings.status !== undefined &&
          (settings.status !== row.status || (settings.status === 'ignored' && (settings.ignoreUntil ?? null) !== row.ignore_until));
        if (isAnew) {
          const columns = await statusColumns(db, row, settings);
          await update(db, row.id, columns);
          await addActivity(db, row.id, {
            ...byPerson(act),
            kind: 'status_changed',
            from: row.status,
            to: settings.status ?? row.status,
            reason: columns.reason ?? null,
            ignore_until: columns.ignore_until ?? null,
            ...(columns.status === 'resolved' ? settings.resolvedBy : {}),
          });
        } else if (settings.reason !== undefined && settings.reason !== row.reason) {
          await update(db, row.id, { reason: settings.reason });
          const same = { from: row.status, to: row.status, reason: settings.reason, ignore_until: row.ignore_until };
          await addActivity(db, row.id, { ...byPerson(act), kind: 'status_changed', ...same });
        }
        const { assignee, assigneeId = null } = settings;
        if (assignee !== undefined && (assignee !== row.assignee || assigneeId !== row.assignee_id)) {
          await update(db, row.id, { assignee, assignee_id: assigneeId });
          const isSame = assigneeId === null ? assignee === row.assignee : assigneeId === row.assignee_id;
          if (!isSame) await addActivity(db, row.id, { ...byPerson(act), kind: 'assigned', from: row.assignee, to: assignee });
        }
        return true;
      });
    },

    comment(id, text, mentions, act) {
      return write(async (db) => {
        const row = await findGroup(db, id);
        if (row === undefined) return 'missing';
        const of = db.selectFrom('failure_comments').where('group_id', '=', row.id);
        const total = (await of.select(sql<number>`count(*)`.as('total')).executeTakeFirst())?.total ?? 0;
        if (total >= LIMITS.commentsPerGroup) return 'full';
        const comment = { id: randomUUIDv7(), group_id: row.id, created_at: act.at, actor: act.actor, text };
        await db.insertInto('failure_comments').values(comment).execute();
        if (mentions.length > 0) {
          const rows = mentions.map(({ id: member_id, name }) => ({ comment_id: comment.id, member_id, name }));
          await db.insertInto('failure_mentions').values(rows).execute();
          await addActivity(db, row.id, { ...byPerson(act), kind: 'mentioned', names: mentions.map(({ name }) => name) });
        }
        return 'added';
      });
    },
  };
}

type Forgotten = Pick<GroupRow, 'count' | 'first_seen' | 'first_version'>;

/**
 * Merging and splitting move records between groups, with the fingerprints that assign later occurrences. What can go
 * wrong: a permalink to a merged group (its row stays and points to the new group); a split that the next occurrence
 * would undo (refused when nothing distinguishes the two).
 */
function createGroupMoves({ write }: Database): Pick<FailureGroupRepository, 'merge' | 'split'> {
  async function moveRecords(db: Db, from: string, to: string, failureIds: readonly string[] | null): Promise<void> {
    const records = db.updateTable('failures').set({ group_id: to }).where('group_id', '=', from);
    const sightings = db.updateTable('failure_sightings').set({ group_id: to }).where('group_id', '=', from);
    await (failureIds === null ? records : records.where('id', 'in', failureIds)).execute();
    await (failureIds === null ? sightings : sightings.where('failure_id', 'in', failureIds)).execute();
  }

  /** Totals over the records of a group; null without records. */
  async function tally(db: Db, id: string): Promise<(Forgotten & Pick<GroupRow, 'last_seen' | 'last_version'>) | null> {
    const sums = await db
      .selectFrom('failures')
      .select([
        sql<number | null>`sum(count)`.as('count'),
        sql<string>`min(first_seen)`.as('first_seen'),
        sql<string>`max(last_seen)`.as('last_seen'),
        sql<number>`min(snapshot_version)`.as('first_version'),
        sql<number>`max(snapshot_version)`.as('last_version'),
      ])
      .where('group_id', '=', id)
      .executeTakeFirst();
    if (sums === undefined || sums.count === null) return null;
    const sighted = db.selectFrom('failure_sightings').select(sql<number | null>`min(snapshot_version)`.as('version'));
    const first = (await sighted.where('group_id', '=', id).executeTakeFirst())?.version ?? sums.first_version;
    return { ...sums, count: sums.count, first_version: Math.min(sums.first_version, first) };
  }

  /** Totals for a group's records that were removed. */
  async function forgottenOf(db: Db, row: GroupRow): Promise<Forgotten> {
    return { count: row.count - ((await tally(db, row.id))?.count ?? 0), first_seen: row.first_seen, first_version: row.first_version };
  }

  /** From the group's current records, and its other counts. */
  async function recount(db: Db, id: string, beside: readonly Forgotten[]): Promise<void> {
    const sums = await tally(db, id);
    const newest = await newestOfGroup(db, id).executeTakeFirst();
    if (sums === null || newest === undefined) return;
    const counted = [sums, ...beside.filter(({ count }) => count > 0)];
    const columns = {
      ...sums,
      count: counted.reduce((sum, { count }) => sum + count, 0),
      first_seen: counted.map((each) => each.first_seen).reduce((a, b) => (a < b ? a : b)),
      first_version: Math.min(...counted.map((each) => each.first_version)),
      title: failureTitle(newest.message),
    };
    await setGroup(db, id, columns);
  }

  async function setGroup(db: Db, id: string, columns: Partial<GroupRow>): Promise<void> {
    await db.updateTable('failure_groups').set(columns).where('id', '=', id).execute();
  }

  async function split(db: Db, row: GroupRow, failureId: string, act: Act): Promise<SplitOutcome> {
    const records = await db.selectFrom('failures').select(['id', 'fingerprint', 'message']).where('group_id', '=', row.id).execute();
    const chosen = records.find((record) => record.id === failureId);
    if (chosen === undefined) return { kind: 'missing' };
    const isLike = (record: { fingerprint: string; message: string }): boolean =>
      record.fingerprint === chosen.fingerprint && record.message === chosen.message;
    const staying = records.filter((record) => !isLike(record));
    if (staying.length === 0) return records.length === 1 ? { kind: 'alone' } : { kind: 'same_words' };
    const isExact = staying.some((record) => record.fingerprint === chosen.fingerprint);
    const exact = exactFingerprint(chosen.fingerprint, chosen.message);
    if (!isExact && [chosen.fingerprint, exact].includes(row.fingerprint)) return { kind: 'own_fingerprint' };
    const fingerprint = isExact ? exact : chosen.fingerprint;
    const print = await db
      .selectFrom('failure_fingerprints')
      .selectAll()
      .where('extension', '=', row.extension)
      .where('fingerprint', '=', fingerprint)
      .executeTakeFirst();
    const target = print === undefined || print.own_group_id === row.id ? randomUUIDv7() : print.own_group_id;
    if ((await findGroup(db, target)) === undefined) {
      const settings = {
        merged_into: null,
        assignee: row.assignee,
        assignee_id: row.assignee_id,
        regression: 0,
        resolved_by_json: null,
        regressed_by_json: null,
      } as const;
      await db
        .insertInto('failure_groups')
        .values({ ...row, ...settings, id: target, fingerprint })
        .execute();
    } else await setGroup(db, target, { merged_into: null, status: row.status, ignore_until: row.ignore_until, reason: row.reason });
    if (print === undefined) {
      const basis = await db
        .selectFrom('failure_fingerprints')
        .select('basis_json')
        .where('group_id', '=', row.id)
        .where('fingerprint', '=', chosen.fingerprint)
        .executeTakeFirst();
      const added = {
        extension: row.extension,
        fingerprint,
        group_id: target,
        own_group_id: target,
        basis_json: basis?.basis_json ?? null,
        exact: 1,
      } as const;
      await db.insertInto('failure_fingerprints').values(added).execute();
    } else {
      const own = { group_id: target, own_group_id: target };
      const query = db
        .updateTable('failure_fingerprints')
        .set(own)
        .where('extension', '=', row.extension)
        .where('fingerprint', '=', fingerprint);
      await query.execute();
    }
    const forgotten = await forgottenOf(db, row);
    await moveRecords(
      db,
      row.id,
      target,
      records.filter(isLike).map((record) => record.id),
    );
    for (const id of [row.id, target]) {
      await recount(db, id, id === row.id ? [forgotten] : []);
      await addActivity(db, id, { ...byPerson(act), kind: 'split', from: row.id, to: target });
    }
    return { kind: 'split', groupId: target };
  }

  return {
    merge(id, into, act) {
      return write(async (db) => {
        const source = await findGroup(db, id);
        const target = await findGroup(db, into);
        if (source === undefined || target === undefined) return 'missing';
        if (source.id === target.id) return 'same';
        if (source.extension !== target.extension) return 'other_extension';
        const forgotten = [await forgottenOf(db, source), await forgottenOf(db, target)];
        await moveRecords(db, source.id, target.id, null);
        await db.updateTable('failure_fingerprints').set({ group_id: target.id }).where('group_id', '=', source.id).execute();
        await db.updateTable('failure_comments').set({ group_id: target.id }).where('group_id', '=', source.id).execute();
        await db.updateTable('failure_groups').set({ merged_into: target.id }).where('merged_into', '=', source.id).execute();
        await setGroup(db, source.id, { merged_into: target.id });
        await recount(db, target.id, forgotten);
        // The more urgent of the two is used.
        if (GROUP_STATUSES.indexOf(source.status) < GROUP_STATUSES.indexOf(target.status)) {
          const { status, reason, ignore_until, ignored_revision } = source;
          await setGroup(db, target.id, { status, reason, ignore_until, ignored_revision });
        }
        await addActivity(db, target.id, { ...byPerson(act), kind: 'merged', from: source.id, to: target.id });
        return 'merged';
      });
    },

    split(id, failureId, act) {
      return write(async (db) => {
        const row = await findGroup(db, id);
        return row === undefined ? { kind: 'missing' } : await split(db, row, failureId, act);
      });
    },
  };
}
