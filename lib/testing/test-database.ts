import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseSettings } from '#lib/host/config.ts';

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
  await run(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  return {
    settings: { url: url.href, connections: 5, statementMs: 30_000, startMs: 0 },
    remove: () => run(server, `drop database ${name} with (force)`),
  };
}

async function run(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
