import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Kysely as a typed builder of SQL: queries are compiled here and run by the connection, which is synchronous and keeps
 * prepared statements. The same builders compile for another dialect with another compiler.
 */
export type QueryBuilder = Kysely<Tables>;

export function createQueryBuilder(): QueryBuilder {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
