import { migrationsOf } from '../migrations.ts';
import type { Pool } from './postgres-pool.ts';

/** The database has steps that this version does not know. */
export class NewerSchema extends Error {}

/** Any number that other programs do not use for their locks. */
const MIGRATION_LOCK = 7_327_160_271;

/** All missing steps in one transaction, by one process at a time; in the first schema of the search path. */
export async function migrate(onConnection: Pool['onConnection']): Promise<void> {
  const steps = migrationsOf('postgres');
  const known = new Set(steps.map(({ name }) => name));
  await onConnection(async (db, run) => {
    await run('begin');
    await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await run('create table if not exists switchboard_migrations (name text collate "C" not null primary key, applied_at text not null)');
    const done = new Set((await db.selectFrom('switchboard_migrations').select('name').execute()).map(({ name }) => name));
    if ([...done].some((name) => !known.has(name))) throw new NewerSchema();
    for (const { name, statements } of steps.filter((step) => !done.has(step.name))) {
      for (const statement of statements(db, 'postgres')) await db.executeQuery(statement.compile());
      await db.insertInto('switchboard_migrations').values({ name, applied_at: new Date().toISOString() }).execute();
    }
    await run('commit');
  });
}
