import { existsSync } from 'node:fs';
import { explainUnusable } from './sqlite/database-file.ts';
import { migrationsOf } from './migrations.ts';

/** Inspects a database without creating or changing anything. */
export type ExaminedDatabase = { readonly ok: true; readonly message: string } | { readonly ok: false; readonly reason: string };

const CONNECT_MS = 5_000;

export async function examineDatabase(settings: { readonly file: string } | { readonly url: string }): Promise<ExaminedDatabase> {
  if ('url' in settings) return examineServer(settings.url);
  if (!existsSync(settings.file)) return { ok: true, message: 'SQLite; the first start creates it' };
  const fault = explainUnusable(settings.file);
  return fault === null
    ? { ok: true, message: `SQLite ${process.versions['sqlite'] ?? ''}, ${settings.file}` }
    : { ok: false, reason: `${fault.fact} ${fault.wayOut}` };
}

async function examineServer(url: string): Promise<ExaminedDatabase> {
  const { createPool } = await import('./postgres/postgres-pool.ts');
  const pool = createPool({ url, connections: 1, statementMs: CONNECT_MS, connectMs: CONNECT_MS });
  try {
    const [server] = await pool.query<{ version: string; has_tables: boolean }>(
      'server',
      `select current_setting('server_version') as version, to_regclass('switchboard_migrations') is not null as has_tables`,
      [],
    );
    if (server === undefined) return { ok: false, reason: `The database at ${pool.place} did not answer.` };
    const done = server.has_tables ? await pool.query<{ name: string }>('migrations', 'select name from switchboard_migrations', []) : [];
    const known = new Set(migrationsOf('postgres').map(({ name }) => name));
    const left = known.size - done.length;
    if (done.some(({ name }) => !known.has(name)))
      return {
        ok: false,
        reason: `The database at ${pool.place} was made by a newer version of this program. Start that version, or set DATABASE_URL to another database.`,
      };
    const state = server.has_tables
      ? left === 0
        ? 'up to date'
        : `${left} migrations left for the next start`
      : 'the first start creates the tables';
    return { ok: true, message: `PostgreSQL ${server.version} at ${pool.place}, ${state}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The database at ${pool.place} cannot be used (${why}).` };
  } finally {
    await pool.close();
  }
}
