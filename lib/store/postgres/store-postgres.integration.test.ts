import { afterAll, beforeAll } from 'vitest';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';
import { openStore } from '../open-store.ts';
import { describeStoreContract } from '../store-contract.ts';

let server: SharedPostgres;

beforeAll(async () => {
  server = await sharedPostgres();
});

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
