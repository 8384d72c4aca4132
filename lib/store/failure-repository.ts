import { randomUUIDv7 } from 'node:crypto';
import type { Selectable } from 'kysely';
import { failedCheckSchema, type Failure } from '#lib/contract/failure.ts';
import { type GroupRevision, groupRevisionSchema, UNTIL_CHANGED } from '#lib/contract/failure-group.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { failureTitle } from './cut-text.ts';
import { addActivity, automatic, dropOldest, exactFingerprint, type FailureGroupsTable, type FailuresTable } from './failure-columns.ts';
import { countOf, type Db, toColumns } from './database.ts';
import type { FailureOccurrence, FailureRepository, SetWrites } from './store.ts';

/**
 * Failure records and the groups they are reviewed in. A group is the target of a fingerprint, directly or after a
 * merge; a record is that fault at one revision, with the number of its occurrences.
 */
export function createFailureRepository(db: Db): FailureRepository & Pick<SetWrites, 'recordFailure'> {
  async function findGroup(occurrence: FailureOccurrence): Promise<Selectable<FailureGroupsTable> | undefined> {
    const prints = [exactFingerprint(occurrence.fingerprint, occurrence.message), occurrence.fingerprint];
    const rows = await db
      .selectFrom('failure_fingerprints')
      .select(['fingerprint', 'group_id', 'basis_json'])
      .where('extension', '=', occurrence.extension)
      .where('fingerprint', 'in', prints)
      .execute();
    // Groups split off by their exact message come first.
    const found = rows.find((row) => row.fingerprint === prints[0]) ?? rows[0];
    if (found === undefined) return undefined;
    if (found.basis_json === null) await storeBasis(occurrence, found.fingerprint);
    return await db.selectFrom('failure_groups').selectAll().where('id', '=', found.group_id).executeTakeFirst();
  }

  /** For a group from before the reasons of grouping were stored. */
  async function storeBasis({ extension, basis }: FailureOccurrence, fingerprint: string): Promise<void> {
    await db
      .updateTable('failure_fingerprints')
      .set({ basis_json: JSON.stringify(basis) })
      .where('extension', '=', extension)
      .where('fingerprint', '=', fingerprint)
      .execute();
  }

  async function makeGroup(occurrence: FailureOccurrence): Promise<string> {
    const made = newGroup(occurrence);
    await db.insertInto('failure_groups').values(made).execute();
    const { extension, fingerprint, basis } = occurrence;
    const print = {
      extension,
      fingerprint,
      group_id: made.id,
      own_group_id: made.id,
      basis_json: JSON.stringify(basis),
      exact: 0,
    } as const;
    await db.insertInto('failure_fingerprints').values(print).execute();
    await addActivity(db, made.id, {
      ...automatic(occurrence.seenAt),
      kind: 'opened',
      revision: occurrence.revision,
      snapshot_version: occurrence.snapshotVersion,
    });
    await dropOldGroups(db, made);
    return made.id;
  }

  async function countIntoGroup(occurrence: FailureOccurrence): Promise<string> {
    const group = await findGroup(occurrence);
    if (group === undefined) return await makeGroup(occurrence);
    const reopened = reopen(group, occurrence);
    if (reopened !== null) await addActivity(db, group.id, { ...automatic(occurrence.seenAt), ...reopened.activity });
    const seen = {
      ...(reopened === null ? {} : reopened.columns),
      title: failureTitle(occurrence.message),
      count: group.count + 1,
      cause: occurrence.cause,
      last_seen: occurrence.seenAt,
      last_version: occurrence.snapshotVersion,
    };
    await db.updateTable('failure_groups').set(seen).where('id', '=', group.id).execute();
    return group.id;
  }

  function sameFault(groupId: string, { revision, fingerprint }: FailureOccurrence) {
    const ofGroup = db.selectFrom('failures').selectAll().where('group_id', '=', groupId).where('fingerprint', '=', fingerprint);
    return revision === null ? ofGroup.where('revision', 'is', null) : ofGroup.where('revision', '=', revision);
  }

  async function recordOccurrence(failure: Failure, groupId: string): Promise<Failure> {
    const { id, snapshot_version, revision, last_seen } = failure;
    const occurrence = { group_id: groupId, failure_id: id, seen_at: Date.parse(last_seen), snapshot_version, revision };
    await db.insertInto('failure_sightings').values(occurrence).execute();
    await dropOldest(db, 'failure_sightings', groupId, LIMITS.sightingsKept);
    return failure;
  }

  return {
    async recordFailure(occurrence) {
      const groupId = await countIntoGroup(occurrence);
      const { seenAt } = occurrence;
      const known = await sameFault(groupId, occurrence).executeTakeFirst();
      if (known !== undefined) {
        const again = { ...known, ...columnsOf(occurrence), last_seen: seenAt, count: known.count + 1 };
        await db.updateTable('failures').set(again).where('seq', '=', known.seq).execute();
        return await recordOccurrence(toFailure(again), groupId);
      }
      const row = { id: randomUUIDv7(), group_id: groupId, ...columnsOf(occurrence), first_seen: seenAt, last_seen: seenAt, count: 1 };
      await db.insertInto('failures').values(row).execute();
      await dropOldest(db, 'failures', groupId, LIMITS.failureRecordsKept);
      return await recordOccurrence(toFailure(row), groupId);
    },

    async get(id) {
      const row = await db.selectFrom('failures').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toFailure(row);
    },

    async list(extension, limit) {
      const query = db.selectFrom('failures').selectAll().where('extension', '=', extension).orderBy('seq', 'desc').limit(limit);
      return (await query.execute()).map(toFailure);
    },
  };
}

function newGroup(occurrence: FailureOccurrence): Selectable<FailureGroupsTable> {
  return {
    id: randomUUIDv7(),
    extension: occurrence.extension,
    fingerprint: occurrence.fingerprint,
    title: failureTitle(occurrence.message),
    stage: occurrence.stage,
    code: occurrence.code,
    status: 'open',
    regression: 0,
    count: 1,
    first_seen: occurrence.seenAt,
    last_seen: occurrence.seenAt,
    first_version: occurrence.snapshotVersion,
    last_version: occurrence.snapshotVersion,
    resolved_by_json: null,
    assignee: null,
    assignee_id: null,
    ignore_until: null,
    reason: null,
    cause: occurrence.cause,
    merged_into: null,
    ignored_revision: null,
    regressed_by_json: null,
  };
}

/** The status after a further occurrence; null when it stays. */
function reopen(group: Selectable<FailureGroupsTable>, occurrence: FailureOccurrence) {
  const back = { revision: occurrence.revision, snapshot_version: occurrence.snapshotVersion };
  const open = { status: 'open', ignore_until: null, ignored_revision: null, reason: null } as const;
  if (group.status === 'resolved') {
    const fixedBy = readGroupRevision(group.resolved_by_json);
    return {
      columns: { ...open, regression: 1, regressed_by_json: JSON.stringify(back) } as const,
      activity: { kind: 'regressed', fixed_in: fixedBy?.revision ?? null, ...back } as const,
    };
  }
  if (group.status !== 'ignored' || group.ignore_until === null) return null;
  const from = { from: 'ignored', to: 'open', ...back } as const;
  if (group.ignore_until !== UNTIL_CHANGED)
    return Date.parse(group.ignore_until) <= Date.parse(occurrence.seenAt)
      ? { columns: open, activity: { kind: 'ignore_ended', ...from } as const }
      : null;
  return group.ignored_revision === occurrence.revision ? null : { columns: open, activity: { kind: 'changed', ...from } as const };
}

export function newestOfGroup(db: Db, groupId: string) {
  return db.selectFrom('failures').selectAll().where('group_id', '=', groupId).orderBy('last_seen', 'desc').orderBy('seq', 'desc').limit(1);
}

export function readGroupRevision(json: string | null): GroupRevision | null {
  return json === null ? null : groupRevisionSchema.parse(JSON.parse(json));
}

/** Values of the newest occurrence: lines and output change while the fingerprint stays. */
function columnsOf({ basis: _, cause: __, seenAt: ___, environment, failedChecks, ...same }: FailureOccurrence) {
  return {
    ...toColumns(same),
    environment_json: environment === null ? null : JSON.stringify(environment),
    failed_checks_json: failedChecks.length === 0 ? null : JSON.stringify(failedChecks),
  };
}

export function toFailure(row: Omit<Selectable<FailuresTable>, 'seq'> & { readonly seq?: number }): Failure {
  const { seq: _, good_revision: __, environment_json: ___, failed_checks_json: checks, instance, ...failure } = row;
  return {
    ...failure,
    ...(instance === null ? {} : { instance }),
    ...(checks === null ? {} : { failed_checks: failedCheckSchema.array().parse(JSON.parse(checks)) }),
  };
}

const DROPPED_AT_ONCE = 10;

/**
 * Within a write that created a group: an extension that fails with ever new messages must not fill the disk. Above
 * LIMITS.failureGroupsKept, the groups not seen for longest are removed, unless people have worked on them.
 */
async function dropOldGroups(db: Db, made: { readonly id: string; readonly extension: string }): Promise<void> {
  const { extension } = made;
  const excess = (await countOf(db.selectFrom('failure_groups').where('extension', '=', extension))) - LIMITS.failureGroupsKept;
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
  for (const { id } of await untouched.execute()) {
    for (const table of ['failure_sightings', 'failure_activity', 'failure_fingerprints', 'failures'] as const)
      await db.deleteFrom(table).where('group_id', '=', id).execute();
    await db.deleteFrom('failure_groups').where('id', '=', id).execute();
  }
}
