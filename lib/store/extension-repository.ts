import type { Db } from './database.ts';
import { sql } from 'kysely';
import type { Compilable, Selectable } from 'kysely';
import type { ExtensionRepository, ExtensionRow, SetWrites } from './store.ts';
import { strictTable } from './dialect.ts';
import type { Bit } from './tables.ts';

export function createExtensionRepository(db: Db): ExtensionRepository & Pick<SetWrites, 'putExtension'> {
  return {
    all: async () => (await db.selectFrom('extensions').selectAll().orderBy('extension').execute()).map(toExtension),

    async get(extension) {
      const row = await db.selectFrom('extensions').selectAll().where('extension', '=', extension).executeTakeFirst();
      return row === undefined ? null : toExtension(row);
    },

    async putExtension(row) {
      const columns = {
        disabled: row.disabled ? (1 as const) : (0 as const),
        pinned_revision: row.pinnedRevision,
        revision: row.revision,
        serving_revision: row.servingRevision,
        rolled_back_from: row.rolledBackFrom,
        loaded_at: row.loadedAt,
        keep_alive: row.keepAlive === null ? null : row.keepAlive ? (1 as const) : (0 as const),
      };
      const query = db
        .insertInto('extensions')
        .values({ extension: row.extension, ...columns })
        .onConflict((conflict) => conflict.column('extension').doUpdateSet(columns));
      await query.execute();
    },
  };
}

function toExtension(row: Selectable<ExtensionsTable>): ExtensionRow {
  return {
    extension: row.extension,
    disabled: row.disabled === 1,
    pinnedRevision: row.pinned_revision,
    revision: row.revision,
    servingRevision: row.serving_revision,
    rolledBackFrom: row.rolled_back_from,
    loadedAt: row.loaded_at,
    keepAlive: row.keep_alive === null ? null : row.keep_alive === 1,
  };
}

export interface ExtensionsTable {
  extension: string;
  disabled: Bit;
  pinned_revision: number | null;
  revision: number | null;
  serving_revision: number | null;
  rolled_back_from: number | null;
  loaded_at: string | null;
  keep_alive: Bit | null;
}

export function extensionTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`extensions (extension text primary key, disabled integer, pinned_revision integer?, revision integer?,
      serving_revision integer?, loaded_at text?)`,
  ];
}

/** Until then, a serving revision older than the newest loaded one meant a rollback. */
export function rolledBackFrom(db: Db): readonly Compilable[] {
  const known = sql`update extensions set rolled_back_from = revision
    where pinned_revision is null and serving_revision <> revision and exists (
      select 1 from revisions where revisions.extension = extensions.extension
        and revisions.revision = extensions.revision and revisions.outcome = 'loaded')`;
  return [db.schema.alterTable('extensions').addColumn('rolled_back_from', 'integer'), { compile: () => known.compile(db) }];
}
