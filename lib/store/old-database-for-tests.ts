import { DatabaseSync } from 'node:sqlite';
import { migrationsOf } from './migrations.ts';
import { createQueryBuilder } from './sqlite/database-file.ts';

/** A database from before a schema step, filled by these statements. */
export function makeOldDatabase(file: string, step: string, rows: readonly string[]): void {
  const db = new DatabaseSync(file);
  const builder = createQueryBuilder();
  const steps = migrationsOf('sqlite');
  const old = steps.slice(
    0,
    steps.findIndex(({ name }) => name === step),
  );
  db.exec('pragma journal_mode = wal');
  db.exec('create table switchboard_migrations (name text not null primary key, applied_at text not null) strict');
  for (const { name, statements } of old) {
    for (const statement of statements(builder, 'sqlite')) {
      const { sql, parameters } = statement.compile();
      db.prepare(sql).run(...parameters.map((value) => (typeof value === 'number' ? value : String(value))));
    }
    db.prepare('insert into switchboard_migrations values (?, ?)').run(name, '2026-01-01T00:00:00.000Z');
  }
  db.exec(`pragma user_version = ${old.length}`);
  for (const row of rows) db.exec(row);
  db.close();
}
