import { sql } from 'kysely';
import { LIMITS } from '#lib/contract/limits.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';

const DROPPED_AT_ONCE = 10;

/**
 * Within a write that made a group: an extension that fails in other words each time must not fill the disk. Of more than LIMITS.failureGroupsKept
 * groups those that were seen longest ago go, unless people did something with them.
 */
export function dropOldGroups(connection: Connection, db: QueryBuilder, made: { readonly id: string; readonly extension: string }): void {
  const { extension } = made;
  const total = connection.first(
    db
      .selectFrom('failure_groups')
      .select(sql<number>`count(*)`.as('count'))
      .where('extension', '=', extension)
      .compile(),
  );
  const excess = (total?.count ?? 0) - LIMITS.failureGroupsKept;
  if (excess <= 0) return;
  const untouched = db
    .selectFrom('failure_groups')
    .select('id')
    .where('extension', '=', extension)
    .where('id', '<>', made.id)
    .where('status', 'in', ['open', 'resolved'])
    .where('assignee', 'is', null)
    .where('merged_into', 'is', null)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('failure_comments').select('seq').whereRef('failure_comments.group_id', '=', 'failure_groups.id'))),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('failure_fingerprints')
            .select('fingerprint')
            .whereRef('failure_fingerprints.group_id', '<>', 'failure_fingerprints.own_group_id')
            .where((or) =>
              or.or([
                or('failure_fingerprints.group_id', '=', or.ref('failure_groups.id')),
                or('failure_fingerprints.own_group_id', '=', or.ref('failure_groups.id')),
              ]),
            ),
        ),
      ),
    )
    .orderBy('last_seen')
    .orderBy('id')
    .limit(Math.min(excess, DROPPED_AT_ONCE));
  for (const { id } of connection.all(untouched.compile())) {
    for (const table of ['failure_sightings', 'failure_activity', 'failure_fingerprints', 'failures'] as const)
      connection.run(db.deleteFrom(table).where('group_id', '=', id).compile());
    connection.run(db.deleteFrom('failure_groups').where('id', '=', id).compile());
  }
}
