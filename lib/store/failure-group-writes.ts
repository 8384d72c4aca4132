import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import { UNTIL_CHANGED } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { addActivity, automatic, byPerson } from './failure-activity.ts';
import type { FailureGroupRepository, GroupSettings } from './failure-group-store.ts';
import { findGroup } from './failure-group-rows.ts';
import type { GroupRow } from './failure-group-rows.ts';
import { newestOfGroup } from './failure-repository.ts';
import type { Database, Db } from './database.ts';

type Writes = Pick<FailureGroupRepository, 'resolve' | 'endIgnoring' | 'change' | 'comment'>;

const REOPENED = { status: 'open', ignore_until: null, ignored_revision: null, reason: null } as const;

/** Each field that is set replaces the old value; the activity records the old one. */
export function createGroupWrites({ write }: Database): Writes {
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
    resolve(ids, by, at) {
      return write(async (db) => {
        const resolved: string[] = [];
        for (const id of ids) {
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
