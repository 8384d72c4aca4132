import pg from 'pg';
import { sharedPostgres } from '#lib/testing/test-database.ts';
import { openStore } from '../open-store.ts';
import { describeFoundCalls } from '../store-contract-found-calls.ts';
import { BLOCK_CALLS } from './call-terms.ts';

/** The last calls of a block. */
const BEFORE_END = 250;

describeFoundCalls('PostgreSQL', async () => {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const connections = new pg.Pool({ connectionString: url });
  connections.on('error', () => undefined);
  return {
    async open() {
      const opened = await openStore({ url });
      if (!opened.ok) throw new Error(opened.reason);
      return opened.store;
    },
    /** Each batch ends one block and starts another. */
    async beforePart(part) {
      await connections.query(`select setval(pg_get_serial_sequence('calls', 'seq'), $1)`, [BLOCK_CALLS * (2 * part + 1) - BEFORE_END]);
    },
    async forgetMarks(ids) {
      await connections.query(
        `update call_words set words = to_tsvector('simple', translate(tool || arguments_json, '_{}":,', '      '))
          from calls where calls.seq = call_words.seq and id = any($1)`,
        [ids],
      );
      await connections.query('delete from call_blocks where block <= (select max(seq) from calls where id = any($1)) / $2 - 1', [
        ids,
        BLOCK_CALLS,
      ]);
    },
    async unmarked() {
      const { rows } = await connections.query<{ count: number }>(
        `select count(*)::integer as count from call_words where not (words @@ '''=2'''::tsquery)`,
      );
      return rows[0]?.count ?? 0;
    },
    async remove() {
      await connections.end();
      await server.close();
    },
  };
});
