import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from 'kysely';
import type { Connection } from './sqlite-connection.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * What better-auth writes goes the same way as everything else: reads at once, writes in groups, each on the disk when it is
 * answered. There are no transactions across its queries, as others' writes stand in the same group.
 */
export function createAccountDialect(connection: Connection, queue: WriteQueue): Dialect {
  const executor: DatabaseConnection = {
    async executeQuery<Row>(asked: CompiledQuery): Promise<QueryResult<Row>> {
      // Kysely knows the columns of what it compiled.
      const query = asked as CompiledQuery<Row>;
      if (query.query.kind === 'SelectQueryNode') return { rows: connection.all(query) };
      const returns = 'returning' in query.query && query.query.returning !== undefined;
      return queue.run(() => {
        if (returns) return { rows: connection.all(query) };
        const { changes } = connection.run(query);
        return { rows: [], numAffectedRows: BigInt(changes) };
      });
    },
    streamQuery() {
      throw new Error('Rows of accounts are few; they are not streamed.');
    },
  };
  const refuse = async (): Promise<never> => {
    throw new Error('There are no transactions here; each write is one.');
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => executor,
      beginTransaction: refuse,
      commitTransaction: refuse,
      rollbackTransaction: refuse,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
    }),
  };
}
