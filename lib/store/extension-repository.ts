import type { Db } from './database.ts';
import type { Selectable } from 'kysely';
import type { ExtensionRepository, ExtensionRow, SetWrites } from './store.ts';
import type { ExtensionsTable } from './tables.ts';

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
