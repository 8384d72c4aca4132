import { sql } from 'kysely';
import { snapshotSchema } from '#lib/contract/snapshot.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { NewestSnapshot, SetWrites, SnapshotRepository } from './store.ts';

export interface WrittenSnapshots extends SnapshotRepository, Pick<SetWrites, 'insertSnapshot'> {
  /** It is committed. */
  noteNewest(snapshot: NewestSnapshot): void;
}

export function createSnapshotRepository(connection: Connection, db: QueryBuilder): WrittenSnapshots {
  /** Nobody else writes them. */
  let newest: NewestSnapshot | null = null;

  return {
    latest() {
      if (newest !== null) return newest;
      const row = connection.first(db.selectFrom('snapshots').selectAll().orderBy('version', 'desc').limit(1).compile());
      return row === undefined ? null : { record: parseRecord(row.record_json), digest: row.digest };
    },

    insertSnapshot(record, digest) {
      const row = { version: record.version, digest, record_json: JSON.stringify(record) };
      connection.run(db.insertInto('snapshots').values(row).compile());
    },

    noteNewest: (snapshot) => (newest = snapshot),

    get(version) {
      const row = connection.first(db.selectFrom('snapshots').select('record_json').where('version', '=', version).compile());
      return row === undefined ? null : parseRecord(row.record_json);
    },

    list({ cursor, limit, extension }) {
      const keys = cursor === undefined ? [] : decodeCursor('snapshots', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      let query = db
        .selectFrom('snapshots')
        .select(['version', 'record_json'])
        .orderBy('version', 'desc')
        .limit(limit + 1);
      if (extension !== undefined) query = query.where(touches(extension));
      if (before !== undefined) query = query.where('version', '<', before);
      const rows = connection.all(query.compile());
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        snapshots: shown.map((row) => parseRecord(row.record_json)),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('snapshots', [last.version]) : null,
      };
    },
  };
}

/** Whether the version is about this extension. */
function touches(extension: string) {
  return sql<boolean>`exists (
    select 1 from json_each(record_json, '$.changes') as kinds, json_each(kinds.value) as ids
    where kinds.key in ('added', 'changed', 'removed', 'failed', 'recovered') and ids.value = ${extension}
  )`;
}

function parseRecord(json: string) {
  return snapshotSchema.parse(JSON.parse(json));
}
