import type { CompiledQuery } from 'kysely';
import { snapshotSchema } from '#lib/contract/snapshot.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { NewestSnapshot, SetWrites, SnapshotRepository } from './store.ts';
import type { SnapshotsTable } from './tables.ts';

export interface WrittenSnapshots extends SnapshotRepository, Pick<SetWrites, 'insertSnapshot'> {
  /** It is committed. */
  noteNewest(snapshot: NewestSnapshot): void;
}

type PageRow = Pick<SnapshotsTable, 'version' | 'record_json'>;

export function createSnapshotRepository(connection: Connection, db: QueryBuilder): WrittenSnapshots {
  /** There is no other writer. */
  let newest: NewestSnapshot | null = null;

  function pageQuery(extension: string | undefined, before: number | undefined, most: number): CompiledQuery<PageRow> {
    if (extension === undefined) {
      const all = db.selectFrom('snapshots').select(['version', 'record_json']).orderBy('version', 'desc').limit(most);
      return (before === undefined ? all : all.where('version', '<', before)).compile();
    }
    const touching = db
      .selectFrom('snapshot_extensions')
      .innerJoin('snapshots', 'snapshots.version', 'snapshot_extensions.version')
      .select(['snapshots.version', 'record_json'])
      .where('extension', '=', extension)
      .orderBy('snapshot_extensions.version', 'desc')
      .limit(most);
    return (before === undefined ? touching : touching.where('snapshot_extensions.version', '<', before)).compile();
  }

  return {
    latest() {
      if (newest !== null) return newest;
      const row = connection.first(db.selectFrom('snapshots').selectAll().orderBy('version', 'desc').limit(1).compile());
      return row === undefined ? null : { record: parseRecord(row.record_json), digest: row.digest };
    },

    insertSnapshot(record, digest) {
      const row = { version: record.version, digest, record_json: JSON.stringify(record) };
      connection.run(db.insertInto('snapshots').values(row).compile());
      const { added, changed, removed, failed, recovered } = record.changes;
      for (const extension of new Set([...added, ...changed, ...removed, ...failed, ...recovered]))
        connection.run(db.insertInto('snapshot_extensions').values({ extension, version: record.version }).compile());
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
      const rows = connection.all(pageQuery(extension, before, limit + 1));
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        snapshots: shown.map((row) => parseRecord(row.record_json)),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('snapshots', [last.version]) : null,
      };
    },
  };
}

function parseRecord(json: string) {
  return snapshotSchema.parse(JSON.parse(json));
}
