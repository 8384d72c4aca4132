import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseSettings } from '#lib/host/config.ts';
import { openStore } from '#lib/store/open-store.ts';

/** A fresh database of the PostgreSQL that test files share. */
export interface TestDatabase {
  readonly settings: DatabaseSettings;
  remove(): Promise<void>;
}

/** Null without TEST_DATABASE=postgres: then a host has its file. */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  if (process.env['TEST_DATABASE'] !== 'postgres') return null;
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined) throw new Error('TEST_DATABASE=postgres needs the set-up of the project integration.');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(server, async (client) => {
    await makeModel(client, server);
    await client.query(`create database ${name} template ${MODEL}`);
  });
  return {
    settings: { url: urlOf(server, name), connections: 5, statementMs: 30_000, startMs: 0 },
    remove: () => run(server, (client) => client.query(`drop database ${name} with (force)`)),
  };
}

/** With all tables, which take longer to make than to copy. */
const MODEL = 'model';
const DRAFT = 'model_draft';

async function makeModel(client: pg.Client, server: string): Promise<void> {
  await client.query('select pg_advisory_lock(1)');
  const { rowCount } = await client.query('select from pg_database where datname = $1', [MODEL]);
  if (rowCount === 0) {
    await client.query(`create database ${DRAFT}`);
    const opened = await openStore({ url: urlOf(server, DRAFT) });
    if (!opened.ok) throw new Error(opened.reason);
    await opened.store.close();
    await client.query(`alter database ${DRAFT} rename to ${MODEL}`);
  }
  await client.query('select pg_advisory_unlock(1)');
}

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

async function run(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
