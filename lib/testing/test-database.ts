import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { DatabaseSettings } from '#lib/host/config.ts';
import { openStore } from '#lib/store/open-store.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Databases on the PostgreSQL that test files share. They are copies with all tables, because creating tables takes longer. */
export interface SharedPostgres extends Pick<TestPostgres, 'port' | 'run' | 'close'> {
  /** @returns its URL */
  createDatabase(): Promise<string>;
}

/** For tests that do not stop it. Without the set-up of the project integration-postgres each test file has its own. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const own = process.env['TEST_POSTGRES'] === undefined ? await startPostgres() : null;
  const server = own?.url ?? process.env['TEST_POSTGRES'] ?? '';
  const made: string[] = [];
  return {
    port: Number(new URL(server).port),
    async createDatabase() {
      const name = await copyModel(server);
      made.push(name);
      return urlOf(server, name);
    },
    run: (text, url = server) => run(url, text),
    async close() {
      if (own !== null) return own.close();
      for (const name of made) await drop(server, name);
    },
  };
}

/** A new database for one host. */
export interface TestDatabase {
  readonly settings: DatabaseSettings;
  remove(): Promise<void>;
}

/** Null without TEST_DATABASE=postgres: then a host uses a SQLite file. */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  if (process.env['TEST_DATABASE'] !== 'postgres') return null;
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined) throw new Error('TEST_DATABASE=postgres needs the set-up of the project integration.');
  const name = await copyModel(server);
  return {
    settings: { url: urlOf(server, name), connections: 5, statementMs: 30_000, startMs: 0 },
    remove: () => drop(server, name),
  };
}

/** @param file the database of a host without PostgreSQL */
export async function readRows(
  settings: DatabaseSettings | null,
  file: string,
  query: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (settings !== null) return connected(settings.url, async (client) => (await client.query(query)).rows);
  using database = new DatabaseSync(file, { readOnly: true });
  return database.prepare(query).all();
}

const MODEL = 'model';
const DRAFT = 'model_draft';

async function copyModel(server: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await connected(server, async (client) => {
    await makeModel(client, server);
    await client.query(`create database ${name} template ${MODEL}`);
  });
  return name;
}

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

const drop = (server: string, name: string): Promise<void> => run(server, `drop database ${name} with (force)`);

const run = (url: string, text: string): Promise<void> => connected(url, async (client) => void (await client.query(text)));

async function connected<Value>(url: string, work: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
