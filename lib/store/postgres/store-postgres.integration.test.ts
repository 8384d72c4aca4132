import { afterAll, beforeAll } from 'vitest';
import { startPostgres } from '#lib/testing/postgres.ts';
import type { TestPostgres } from '#lib/testing/postgres.ts';
import { openStore } from '../open-store.ts';
import { describeStoreContract } from '../store-contract.ts';
import type { Store } from '../store.ts';

let server: TestPostgres;
/** With all tables, which take longer to make than to copy. */
let model: string;

beforeAll(async () => {
  server = await startPostgres();
  model = await server.createDatabase();
  await (await open(model)).close();
}, 120_000);

afterAll(() => server.close());

describeStoreContract('PostgreSQL', async () => {
  const url = await server.createDatabase(model);
  return { open: () => open(url), remove: async () => undefined };
});

async function open(url: string): Promise<Store> {
  const opened = await openStore({ url });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.store;
}
