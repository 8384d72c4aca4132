import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import { UNTIL_CHANGED } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { addActivity, automatic, byPerson } from './failure-activity.ts';
import type { FailureGroupRepository, GroupSettings } from './failure-group-store.ts';
import type { GroupRow } from './failure-group-rows.ts';
import { newestOfGroup } from './failure-repository.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { WriteQueue } from './write-queue.ts';

export interface GroupWriteOptions {
  readonly connection: Connection;
  readonly db: QueryBuilder;
  readonly queue: WriteQueue;
  /** The group with that id, or the one it was merged into. */
  find(id: string): GroupRow | undefined;
}

type Writes = Pick<FailureGroupRepository, 'resolve' | 'endIgnoring' | 'change' | 'comment'>;

const REOPENED = { status: 'open', ignore_until: null, ignored_revision: null, reason: null } as const;

/** Each field that is set replaces the old value; the activity records the old one. */
export function createGroupWrites({ connection, db, queue, find }: GroupWriteOptions): Writes {
  function update(id: string, columns: Partial<GroupRow>): void {
    connection.run(db.updateTable('failure_groups').set(columns).where('id', '=', id).compile());
  }

  /** A new status also replaces the reason and the ignore period. */
  function statusColumns(row: GroupRow, settings: GroupSettings): Partial<GroupRow> {
    const { status = row.status, reason = null, ignoreUntil = null, resolvedBy } = settings;
    const revision = connection.first(newestOfGroup(db, row.id).compile())?.revision ?? null;
    return {
      status,
      reason,
      ignore_until: status === 'ignored' ? ignoreUntil : null,
      ignored_revision: status === 'ignored' && ignoreUntil === UNTIL_CHANGED ? revision : null,
      ...(status === 'resolved' && resolvedBy !== undefined ? { resolved_by_json: JSON.stringify(resolvedBy), regression: 0 } : {}),
    };
  }

  return {
    resolve(ids, by, at) {
      return queue.run(() =>
        ids.filter((id) => {
          const row = find(id);
          if (row === undefined || row.status === 'resolved' || (row.status === 'ignored' && row.ignore_until === null)) return false;
          update(id, { ...REOPENED, status: 'resolved', regression: 0, resolved_by_json: JSON.stringify(by) });
          addActivity(connection, db, id, { ...automatic(at), kind: 'resolved', from: row.status, to: 'resolved', ...by });
          return true;
        }),
      );
    },

    endIgnoring(now) {
      const at = now.toISOString();
      return queue.run(() => {
        const due = db
          .selectFrom('failure_groups')
          .select('id')
          .where('status', '=', 'ignored')
          .where('ignore_until', 'like', '2%')
          .where('ignore_until', '<=', at);
        const ids = connection.all(due.compile()).map((row) => row.id);
        for (const id of ids) {
          update(id, REOPENED);
          addActivity(connection, db, id, { ...automatic(at), kind: 'ignore_ended', from: 'ignored', to: 'open' });
        }
        return ids;
      });
    },

    change(id, settings, act) {
      return queue.run(() => {
        const row = find(id);
        if (row === undefined) return false;
        const isAnew =
          settings.status !== undefined &&
          (settings.status !== row.status || (settings.status === 'ignored' && (settings.ignoreUntil ?? null) !== row.ignore_until));
        if (isAnew) {
          const columns = statusColumns(row, settings);
          update(row.id, columns);
          addActivity(connection, db, row.id, {
            ...byPerson(act),
            kind: 'status_changed',
            from: row.status,
            to: settings.status ?? row.status,
            reason: columns.reason ?? null,
            ignore_until: columns.ignore_until ?? null,
            ...(columns.status === 'resolved' ? settings.resolvedBy : {}),
          });
        } else if (settings.reason !== undefined && settings.reason !== row.reason) {
          update(row.id, { reason: settings.reason });
          const same = { from: row.status, to: row.status, reason: settings.reason, ignore_until: row.ignore_until };
          addActivity(connection, db, row.id, { ...byPerson(act), kind: 'status_changed', ...same });
        }
        const { assignee, assigneeId = null } = settings;
        if (assignee !== undefined && (assignee !== row.assignee || assigneeId !== row.assignee_id)) {
          update(row.id, { assignee, assignee_id: assigneeId });
          const isSame = assigneeId === null ? assignee === row.assignee : assigneeId === row.assignee_id;
          if (!isSame) addActivity(connection, db, row.id, { ...byPerson(act), kind: 'assigned', from: row.assignee, to: assignee });
        }
        return true;
      });
    },

    comment(id, text, mentions, act) {
      return queue.run(() => {
        const row = find(id);
        if (row === undefined) return 'missing';
        const of = db.selectFrom('failure_comments').where('group_id', '=', row.id);
        const total = connection.first(of.select(sql<number>`count(*)`.as('total')).compile())?.total ?? 0;
        if (total >= LIMITS.commentsPerGroup) return 'full';
        const comment = { id: randomUUIDv7(), group_id: row.id, created_at: act.at, actor: act.actor, text };
        connection.run(db.insertInto('failure_comments').values(comment).compile());
        if (mentions.length > 0) {
          const rows = mentions.map(({ id: member_id, name }) => ({ comment_id: comment.id, member_id, name }));
          connection.run(db.insertInto('failure_mentions').values(rows).compile());
          addActivity(connection, db, row.id, { ...byPerson(act), kind: 'mentioned', names: mentions.map(({ name }) => name) });
        }
        return 'added';
      });
    },
  };
}
