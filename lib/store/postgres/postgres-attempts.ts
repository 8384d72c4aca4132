import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { Db } from '../database.ts';
import type { AttemptRepository } from '../instance-store.ts';
import { NOW } from './postgres-instances.ts';

export interface AttemptsTable {
  name: string;
  count: number;
  since: number;
}

/** One statement with its own commit: an attempt counts regardless of its outcome. */
export function createPostgresAttempts(db: Db): AttemptRepository {
  return {
    async count(name, windowMs) {
      const isOver = sql<boolean>`attempts.since <= ${NOW} - ${windowMs}::bigint`;
      const row = await db
        .insertInto('attempts')
        .values({ name, count: 1, since: NOW })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({
            count: sql<number>`case when ${isOver} then 1 else attempts.count + 1 end`,
            since: sql<number>`case when ${isOver} then ${NOW} else attempts.since end`,
          }),
        )
        .returning(['count', sql<number>`${NOW} - since`.as('ageMs')])
        .executeTakeFirstOrThrow();
      return { count: row.count, ageMs: Math.max(0, row.ageMs) };
    },
    async forget(olderMs) {
      await db
        .deleteFrom('attempts')
        .where('since', '<', sql<number>`${NOW} - ${olderMs}::bigint`)
        .execute();
    },
  };
}

export function attemptTables(db: Db): readonly Compilable[] {
  return [
    db.schema
      .createTable('attempts')
      .addColumn('name', 'text', (c) => c.notNull().primaryKey())
      .addColumn('count', 'integer', (c) => c.notNull())
      .addColumn('since', 'integer', (c) => c.notNull()),
  ];
}
