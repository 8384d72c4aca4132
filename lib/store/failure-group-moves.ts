import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import { GROUP_STATUSES } from '#lib/contract/failure-group.ts';
import { failureTitle } from './cut-text.ts';
import { exactFingerprint } from './exact-fingerprint.ts';
import { addActivity, byPerson } from './failure-activity.ts';
import type { Act, FailureGroupRepository, SplitOutcome } from './failure-group-store.ts';
import type { GroupRow } from './failure-group-rows.ts';
import type { GroupWriteOptions } from './failure-group-writes.ts';
import { newestOfGroup } from './failure-repository.ts';

type Forgotten = Pick<GroupRow, 'count' | 'first_seen' | 'first_version'>;

/**
 * Merging and splitting move records between groups, with the fingerprints that assign later occurrences. What can go
 * wrong: a permalink to a merged group (its row stays and points to the new group); a split that the next occurrence
 * would undo (refused when nothing distinguishes the two).
 */
export function createGroupMoves({ connection, db, queue, find }: GroupWriteOptions): Pick<FailureGroupRepository, 'merge' | 'split'> {
  function moveRecords(from: string, to: string, failureIds: readonly string[] | null): void {
    const records = db.updateTable('failures').set({ group_id: to }).where('group_id', '=', from);
    const sightings = db.updateTable('failure_sightings').set({ group_id: to }).where('group_id', '=', from);
    connection.run((failureIds === null ? records : records.where('id', 'in', failureIds)).compile());
    connection.run((failureIds === null ? sightings : sightings.where('failure_id', 'in', failureIds)).compile());
  }

  /** Totals over the records of a group; null without records. */
  function tally(id: string): (Forgotten & Pick<GroupRow, 'last_seen' | 'last_version'>) | null {
    const sums = connection.first(
      db
        .selectFrom('failures')
        .select([
          sql<number | null>`sum(count)`.as('count'),
          sql<string>`min(first_seen)`.as('first_seen'),
          sql<string>`max(last_seen)`.as('last_seen'),
          sql<number>`min(snapshot_version)`.as('first_version'),
          sql<number>`max(snapshot_version)`.as('last_version'),
        ])
        .where('group_id', '=', id)
        .compile(),
    );
    if (sums === undefined || sums.count === null) return null;
    const sighted = db.selectFrom('failure_sightings').select(sql<number | null>`min(snapshot_version)`.as('version'));
    const first = connection.first(sighted.where('group_id', '=', id).compile())?.version ?? sums.first_version;
    return { ...sums, count: sums.count, first_version: Math.min(sums.first_version, first) };
  }

  /** Totals for a group's records that were removed. */
  function forgottenOf(row: GroupRow): Forgotten {
    return { count: row.count - (tally(row.id)?.count ?? 0), first_seen: row.first_seen, first_version: row.first_version };
  }

  /** From the group's current records, and its other counts. */
  function recount(id: string, beside: readonly Forgotten[]): void {
    const sums = tally(id);
    const newest = connection.first(newestOfGroup(db, id).compile());
    if (sums === null || newest === undefined) return;
    const counted = [sums, ...beside.filter(({ count }) => count > 0)];
    const columns = {
      ...sums,
      count: counted.reduce((sum, { count }) => sum + count, 0),
      first_seen: counted.map((each) => each.first_seen).reduce((a, b) => (a < b ? a : b)),
      first_version: Math.min(...counted.map((each) => each.first_version)),
      title: failureTitle(newest.message),
    };
    setGroup(id, columns);
  }

  function setGroup(id: string, columns: Partial<GroupRow>): void {
    connection.run(db.updateTable('failure_groups').set(columns).where('id', '=', id).compile());
  }

  function split(row: GroupRow, failureId: string, act: Act): SplitOutcome {
    const records = connection.all(
      db.selectFrom('failures').select(['id', 'fingerprint', 'message']).where('group_id', '=', row.id).compile(),
    );
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
    const print = connection.first(
      db
        .selectFrom('failure_fingerprints')
        .selectAll()
        .where('extension', '=', row.extension)
        .where('fingerprint', '=', fingerprint)
        .compile(),
    );
    const target = print === undefined || print.own_group_id === row.id ? randomUUIDv7() : print.own_group_id;
    if (find(target) === undefined) {
      const settings = {
        merged_into: null,
        assignee: row.assignee,
        assignee_id: row.assignee_id,
        regression: 0,
        resolved_by_json: null,
        regressed_by_json: null,
      } as const;
      connection.run(
        db
          .insertInto('failure_groups')
          .values({ ...row, ...settings, id: target, fingerprint })
          .compile(),
      );
    } else setGroup(target, { merged_into: null, status: row.status, ignore_until: row.ignore_until, reason: row.reason });
    if (print === undefined) {
      const basis = connection.first(
        db
          .selectFrom('failure_fingerprints')
          .select('basis_json')
          .where('group_id', '=', row.id)
          .where('fingerprint', '=', chosen.fingerprint)
          .compile(),
      );
      const added = {
        extension: row.extension,
        fingerprint,
        group_id: target,
        own_group_id: target,
        basis_json: basis?.basis_json ?? null,
        exact: 1,
      } as const;
      connection.run(db.insertInto('failure_fingerprints').values(added).compile());
    } else {
      const own = { group_id: target, own_group_id: target };
      const query = db
        .updateTable('failure_fingerprints')
        .set(own)
        .where('extension', '=', row.extension)
        .where('fingerprint', '=', fingerprint);
      connection.run(query.compile());
    }
    const forgotten = forgottenOf(row);
    moveRecords(
      row.id,
      target,
      records.filter(isLike).map((record) => record.id),
    );
    for (const id of [row.id, target]) {
      recount(id, id === row.id ? [forgotten] : []);
      addActivity(connection, db, id, { ...byPerson(act), kind: 'split', from: row.id, to: target });
    }
    return { kind: 'split', groupId: target };
  }

  return {
    merge(id, into, act) {
      return queue.run(() => {
        const source = find(id);
        const target = find(into);
        if (source === undefined || target === undefined) return 'missing';
        if (source.id === target.id) return 'same';
        if (source.extension !== target.extension) return 'other_extension';
        const forgotten = [forgottenOf(source), forgottenOf(target)];
        moveRecords(source.id, target.id, null);
        connection.run(db.updateTable('failure_fingerprints').set({ group_id: target.id }).where('group_id', '=', source.id).compile());
        connection.run(db.updateTable('failure_comments').set({ group_id: target.id }).where('group_id', '=', source.id).compile());
        connection.run(db.updateTable('failure_groups').set({ merged_into: target.id }).where('merged_into', '=', source.id).compile());
        setGroup(source.id, { merged_into: target.id });
        recount(target.id, forgotten);
        // The more urgent of the two is used.
        if (GROUP_STATUSES.indexOf(source.status) < GROUP_STATUSES.indexOf(target.status)) {
          const { status, reason, ignore_until, ignored_revision } = source;
          setGroup(target.id, { status, reason, ignore_until, ignored_revision });
        }
        addActivity(connection, db, target.id, { ...byPerson(act), kind: 'merged', from: source.id, to: target.id });
        return 'merged';
      });
    },

    split(id, failureId, act) {
      return queue.run(() => {
        const row = find(id);
        return row === undefined ? { kind: 'missing' } : split(row, failureId, act);
      });
    },
  };
}
