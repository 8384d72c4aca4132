import { afterAll, beforeAll } from 'vitest';
import { startPostgres } from '#lib/testing/postgres.ts';
import type { TestPostgres } from '#lib/testing/postgres.ts';
import { openStore } from '../open-store.ts';
import { describeStoreContract } from '../store-contract.ts';

let server: TestPostgres;

beforeAll(async () => {
  server = await startPostgres();
}, 120_000);

afterAll(() => server.close());

describeStoreContract('PostgreSQL', async () => {
  const url = await server.createDatabase();
  return {
    async open() {
      const opened = await openStore({ url });
      if (!opened.ok) throw new Error(opened.reason);
      return opened.store;
    },
    remove: async () => undefined,
  };
});
