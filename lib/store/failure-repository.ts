import { randomUUIDv7 } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Failure } from '#lib/contract/failure.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { FailureOccurrence, FailureRepository } from './store.ts';
import type { FailureGroupsTable, FailuresTable } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

const TITLE_CHARACTERS = 200;

/**
 * Failure records and the groups they are reviewed in. A group is one fingerprint of one extension; a record is that
 * fingerprint at one revision, counted as often as it was seen.
 */
export function createFailureRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): FailureRepository {
  function countIntoGroup(occurrence: FailureOccurrence): string {
    const group = connection.first(
      db
        .selectFrom('failure_groups')
        .select(['id', 'count'])
        .where('extension', '=', occurrence.extension)
        .where('fingerprint', '=', occurrence.fingerprint)
        .compile(),
    );
    if (group === undefined) {
      const made = newGroup(occurrence);
      connection.run(db.insertInto('failure_groups').values(made).compile());
      return made.id;
    }
    const seen = { count: group.count + 1, last_seen: occurrence.seenAt, last_version: occurrence.snapshotVersion };
    connection.run(db.updateTable('failure_groups').set(seen).where('id', '=', group.id).compile());
    return group.id;
  }

  function newestOfGroup(groupId: string) {
    return connection.first(
      db.selectFrom('failures').selectAll().where('group_id', '=', groupId).orderBy('seq', 'desc').limit(1).compile(),
    );
  }

  return {
    record(occurrence) {
      return queue.run(() => {
        const groupId = countIntoGroup(occurrence);
        const latest = newestOfGroup(groupId);
        if (latest !== undefined && latest.revision === occurrence.revision) {
          const again = { ...latest, ...columnsOf(occurrence), last_seen: occurrence.seenAt, count: latest.count + 1 };
          connection.run(db.updateTable('failures').set(again).where('seq', '=', latest.seq).compile());
          return toFailure(again);
        }
        const { seenAt } = occurrence;
        const row = { id: randomUUIDv7(), group_id: groupId, ...columnsOf(occurrence), first_seen: seenAt, last_seen: seenAt, count: 1 };
        connection.run(db.insertInto('failures').values(row).compile());
        return toFailure(row);
      });
    },

    get(id) {
      const row = connection.first(db.selectFrom('failures').selectAll().where('id', '=', id).compile());
      return row === undefined ? null : toFailure(row);
    },

    list(extension, limit) {
      const query = db.selectFrom('failures').selectAll().where('extension', '=', extension).orderBy('seq', 'desc').limit(limit);
      return connection.all(query.compile()).map(toFailure);
    },
  };
}

function newGroup(occurrence: FailureOccurrence): Selectable<FailureGroupsTable> {
  return {
    id: randomUUIDv7(),
    extension: occurrence.extension,
    fingerprint: occurrence.fingerprint,
    title: (occurrence.message.split('\n')[0] ?? '').slice(0, TITLE_CHARACTERS).toWellFormed(),
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
    ignore_until: null,
    reason: null,
  };
}

/** What the newest occurrence says: lines move and output differs while the fingerprint stays. */
function columnsOf(occurrence: FailureOccurrence) {
  return {
    extension: occurrence.extension,
    revision: occurrence.revision,
    error: occurrence.error,
    stage: occurrence.stage,
    code: occurrence.code,
    message: occurrence.message,
    hint: occurrence.hint,
    file: occurrence.file,
    line: occurrence.line,
    column: occurrence.column,
    code_frame: occurrence.codeFrame,
    stack: occurrence.stack,
    output: occurrence.output,
    fingerprint: occurrence.fingerprint,
    snapshot_version: occurrence.snapshotVersion,
  };
}

function toFailure(row: Omit<Selectable<FailuresTable>, 'seq'>): Failure {
  return {
    id: row.id,
    extension: row.extension,
    revision: row.revision,
    error: row.error,
    stage: row.stage,
    code: row.code,
    message: row.message,
    hint: row.hint,
    file: row.file,
    line: row.line,
    column: row.column,
    code_frame: row.code_frame,
    stack: row.stack,
    output: row.output,
    fingerprint: row.fingerprint,
    group_id: row.group_id,
    snapshot_version: row.snapshot_version,
    first_seen: row.first_seen,
    last_seen: row.last_seen,
    count: row.count,
  };
}
