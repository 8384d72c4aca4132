import type { Db } from './database.ts';
import type { Compilable } from 'kysely';
import { strictTable } from './dialect.ts';

export async function readCounter(db: Db, name: CountersTable['name']): Promise<number> {
  return (await db.selectFrom('counters').select('value').where('name', '=', name).executeTakeFirst())?.value ?? 0;
}

export async function writeCounter(db: Db, name: CountersTable['name'], value: number): Promise<void> {
  await db.updateTable('counters').set({ value }).where('name', '=', name).execute();
}

/** Named counters that survive a restart. */
export interface CountersTable {
  name: 'event_ids' | 'search_watermark' | 'search_unmarked' | 'search_old';
  value: number;
}

export function counterTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`counters (name text primary key, value integer)`,
    db.insertInto('counters').values([
      { name: 'event_ids', value: 1 },
      { name: 'search_watermark', value: 0 },
    ]),
  ];
}
