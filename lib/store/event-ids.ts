import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Store } from './store.ts';

/** Ids of events, never used twice: the database has the first that was never reserved. */
export function createEventIds({ write }: Database): Pick<Store, 'reserveEventIds' | 'releaseEventIds'> {
  return {
    reserveEventIds: (count) =>
      write(async (db) => {
        const { value } = await db
          .updateTable('counters')
          .set((eb) => ({ value: eb('value', '+', count) }))
          .where('name', '=', 'event_ids')
          .returning('value')
          .executeTakeFirstOrThrow();
        return value - count;
      }),
    releaseEventIds: (next, end) =>
      write(async (db) => {
        const unchanged = db.updateTable('counters').where('name', '=', 'event_ids').where('value', '=', end);
        await unchanged.set({ value: sql`${next}` }).execute();
      }),
  };
}
