import { randomUUIDv7 } from 'node:crypto';
import { groupActivitySchema } from '#lib/contract/failure-group.ts';
import type { ActivityKind, GroupActivity } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Db } from './database.ts';

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
