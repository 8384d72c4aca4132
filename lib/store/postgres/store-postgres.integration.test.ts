import { afterAll, beforeAll, it, expect } from 'vitest';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';
import { openStore } from '../open-store.ts';
import { describeStoreContract } from '../store-contract.ts';
import { createPool } from './postgres-pool.ts';

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

it('waits for the disk with `power` although the database does not, and with `process` follows the database', async () => {
  const url = await server.createDatabase();
  const settingOf = async (durability: 'process' | 'power', change?: string): Promise<unknown> => {
    const pool = createPool({ url, connections: 1, statementMs: 10_000, connectMs: 10_000, durability });
    try {
      if (change !== undefined) await pool.query('change', change, []);
      return (await pool.query('setting', 'show synchronous_commit', []))[0];
    } finally {
      await pool.close();
    }
  };
  const name = new URL(url).pathname.slice(1);
  await settingOf('process', `alter database "${name}" set synchronous_commit = off`);
  expect(await settingOf('process')).toEqual({ synchronous_commit: 'off' });
  expect(await settingOf('power')).toEqual({ synchronous_commit: 'on' });
  await settingOf('process', `alter database "${name}" set synchronous_commit = remote_apply`);
  expect(await settingOf('power')).toEqual({ synchronous_commit: 'remote_apply' });
});
