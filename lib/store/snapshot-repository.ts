import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { SnapshotFilter, SnapshotRecord } from '#lib/contract/snapshot.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { Db } from './database.ts';
import { type Dialect, strictTable } from './dialect.ts';
import { insertVersion, readState, readStates, recordOf } from './snapshot-parts.ts';
import type { SetWrites, SnapshotRepository } from './store.ts';

type PageRow = Pick<SnapshotsTable, 'version' | 'record_json' | 'base_version'>;

/** A list of many extensions is made in parts of this duration. */
const BUSY_MS = 5;

export function createSnapshotRepository(db: Db, dialect: Dialect): SnapshotRepository & Pick<SetWrites, 'insertSnapshot'> {
  function pageRows({ extension, changes_only: isShort }: SnapshotFilter, before: number | undefined, most: number): Promise<PageRow[]> {
    const record = (isShort === 'true' ? dialect.withoutField('record_json', 'extensions') : sql.ref<string>('record_json')).as(
      'record_json',
    );
    if (extension === undefined) {
      const all = db.selectFrom('snapshots').select(['version', 'base_version', record]).orderBy('version', 'desc').limit(most);
      return (before === undefined ? all : all.where('version', '<', before)).execute();
    }
    const touching = db
      .selectFrom('snapshot_extensions')
      .innerJoin('snapshots', 'snapshots.version', 'snapshot_extensions.version')
      .select(['snapshots.version', 'base_version', record])
      .where('extension', '=', extension)
      .orderBy('snapshot_extensions.version', 'desc')
      .limit(most);
    return (before === undefined ? touching : touching.where('snapshot_extensions.version', '<', before)).execute();
  }

  /** Newest first. */
  async function completeRecords(rows: readonly PageRow[]): Promise<SnapshotRecord[]> {
    const records: SnapshotRecord[] = [];
    let turnAt = performance.now();
    for await (const [row, state] of readStates(db, rows)) {
      records.push(recordOf(row, state));
      if (performance.now() - turnAt <= BUSY_MS) continue;
      await turn();
      turnAt = performance.now();
    }
    return records.toReversed();
  }

  return {
    async latest() {
      const row = await db.selectFrom('snapshots').selectAll().orderBy('version', 'desc').limit(1).executeTakeFirst();
      if (row === undefined) return null;
      const state = await readState(db, row);
      return { record: recordOf(row, state), digest: state.digests };
    },

    async latestVersion() {
      const row = await db.selectFrom('snapshots').select('version').orderBy('version', 'desc').limit(1).executeTakeFirst();
      return row?.version ?? null;
    },

    async insertSnapshot(record, digest, previous, differing = null) {
      await insertVersion(db, record, digest, previous, differing);
      const { added, changed, removed, failed, recovered } = record.changes;
      for (const extension of new Set([...added, ...changed, ...removed, ...failed, ...recovered]))
        await db.insertInto('snapshot_extensions').values({ extension, version: record.version }).execute();
    },

    async get(version) {
      const row = await db.selectFrom('snapshots').selectAll().where('version', '=', version).executeTakeFirst();
      return row === undefined ? null : recordOf(row, await readState(db, row));
    },

    async list(filter) {
      const { cursor, limit } = filter;
      const keys = cursor === undefined ? [] : decodeCursor('snapshots', cursor, 1);
      if (keys === null) return null;
      const [before] = keys;
      const rows = await pageRows(filter, before, limit + 1);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        snapshots: filter.changes_only === 'true' ? shown.map((row) => recordOf(row, null)) : await completeRecords(shown),
        next_cursor: rows.length > limit && last !== undefined ? encodeCursor('snapshots', [last.version]) : null,
      };
    },
  };
}

export interface SnapshotsTable {
  version: number;
  digest: string;
  record_json: string;
  base_version: number | null;
}

/** The extensions changed by a version. */
export interface SnapshotExtensionsTable {
  extension: string;
  version: number;
}

export function snapshotTables(db: Db): readonly Compilable[] {
  return [strictTable(db)`snapshots (version integer primary key, digest text, record_json text)`];
}
