import type { Db } from './database.ts';
import type { CountersTable } from './tables.ts';

export async function readCounter(db: Db, name: CountersTable['name']): Promise<number> {
  return (await db.selectFrom('counters').select('value').where('name', '=', name).executeTakeFirst())?.value ?? 0;
}

export async function writeCounter(db: Db, name: CountersTable['name'], value: number): Promise<void> {
  await db.updateTable('counters').set({ value }).where('name', '=', name).execute();
}
