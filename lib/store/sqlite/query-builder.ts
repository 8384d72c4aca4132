import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Db } from '../database.ts';
import type { Tables } from '../tables.ts';

/**
 * Kysely as a typed SQL builder: queries are compiled here and run by the synchronous connection, which caches prepared
 * statements. The same builders can compile for another dialect.
 */
export function createQueryBuilder(): Db {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
