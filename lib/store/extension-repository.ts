import { type Columns, type Db, fromColumns, toColumns } from './database.ts';
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
      const { extension, disabled, keepAlive, ...same } = row;
      const bits = { disabled: bitOf(disabled), keep_alive: keepAlive === null ? null : bitOf(keepAlive) };
      const columns = { ...toColumns(same), ...bits };
      const query = db
        .insertInto('extensions')
        .values({ extension, ...columns })
        .onConflict((conflict) => conflict.column('extension').doUpdateSet(columns));
      await query.execute();
    },
  };
}

function toExtension({ disabled, keep_alive: keepAlive, ...same }: Selectable<ExtensionsTable>): ExtensionRow {
  return {
    ...fromColumns<Omit<ExtensionRow, 'disabled' | 'keepAlive'>>(same),
    disabled: disabled === 1,
    keepAlive: keepAlive === null ? null : keepAlive === 1,
  };
}

function bitOf(value: boolean): Bit {
  return value ? 1 : 0;
}

export interface ExtensionsTable extends Columns<Omit<ExtensionRow, 'disabled' | 'keepAlive'>> {
  disabled: Bit;
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
