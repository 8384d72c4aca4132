import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DatabaseSettings } from './config.ts';
import { createHost } from './create-host.ts';
import { TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import { startFaultProxy } from '#lib/testing/fault-proxy.ts';
import { startPostgres, type TestPostgres } from '#lib/testing/postgres.ts';
import { createLogger } from './logger.ts';

/** A server whose data is in PostgreSQL. */
const PATIENCE = { timeout: 30_000 };
let postgres: TestPostgres;
let living: LivingHost | null = null;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterEach(async () => {
  await living?.remove();
  living = null;
});

afterAll(() => postgres.close());

async function database(): Promise<DatabaseSettings> {
  return { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
}

async function refusalOf(settings: DatabaseSettings): Promise<string> {
  const logger = createLogger({ level: 'error', readable: false, write: () => undefined });
  const made = await createHost({ ...TEST_CONFIG, dataDir: `${living?.folder ?? ''}/other`, database: settings }, logger);
  if (!made.ok) return made.reason;
  await made.host.close(0);
  return '';
}

it('preserves calls, failures, settings and revisions across a restart', async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { database: await database() });
  expect(await living.call('first_tool')).toMatchObject({ status: 'succeeded' });
  await living.save({ 'a/extension.ts': 'export const TOOL = (' });
  await vi.waitFor(() => expect(living?.extension('a')?.state).toBe('degraded'), PATIENCE);
  living = await living.restart();
  expect(living.extension('a')).toMatchObject({ state: 'degraded', serving_revision: 1 });
  expect(await living.call('first_tool')).toMatchObject({ status: 'succeeded' });
  const found = must(await living.host.calls.list({ q: 'first_tool', limit: 10 }));
  expect(found.calls.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(must(await living.host.failures.list({ limit: 10 })).groups).toMatchObject([{ extension: 'a', status: 'open', count: 2 }]);
  expect(must(await living.host.extensions.get('a')).revisions.map(({ outcome }) => outcome)).toEqual(['failed', 'loaded']);
});

it('refuses calls while the database is unreachable, and serves again once it answers', async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { database: await database() });
  const { host } = living;
  const before = await living.call('first_tool');
  await postgres.kill();
  const request = { tool: 'first_tool', arguments: {}, source: 'api', actor: { name: null } } as const;
  expect(await host.calls.start(request)).toMatchObject({ ok: false, problem: { code: 'storage_unavailable' } });
  expect(host.health()).toMatchObject({ ready: false, storage: { ok: false, reason: expect.stringContaining('does not answer') } });
  await postgres.start();
  await vi.waitFor(() => expect(host.health()).toMatchObject({ ready: true, storage: { ok: true } }), PATIENCE);
  expect(await living.call('first_tool')).toMatchObject({ status: 'succeeded' });
  expect(must(await host.calls.get(before.id)).status).toBe('succeeded');
});

it('finishes its first load when the database was unreachable during it', async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { database: await database() });
  const proxy = await startFaultProxy([postgres.port]);
  const settings = await database();
  const url = new URL(settings.url);
  url.port = String(proxy.port);
  const log: string[] = [];
  const logger = createLogger({ level: 'warn', readable: true, write: (line) => void log.push(line) });
  const config = { ...living.host.config, dataDir: `${living.folder}/other`, database: { ...settings, url: url.href } };
  const made = await createHost(config, logger, { PATH: process.env['PATH'] });
  if (!made.ok) throw new Error(made.reason);
  proxy.cut();
  await vi.waitFor(() => expect(log.join('')).toContain('the first load could not be stored; retrying'), PATIENCE);
  expect(made.host.health().ready).toBe(false);
  proxy.resume();
  await made.host.ready;
  await vi.waitFor(() => expect(made.host.tools.list().tools.map(({ name }) => name)).toEqual(['first_tool']), PATIENCE);
  await made.host.close(0);
  await proxy.close();
});

it('writes the end of a call during which the database became unreachable', async () => {
  const slow = oneTool('slow_tool', 'one').replace('return {', 'await new Promise((done) => setTimeout(done, 1_500)); return {');
  living = await startHost({ 'a/extension.ts': slow }, { database: await database() });
  const started = must(await living.host.calls.start({ tool: 'slow_tool', arguments: {}, source: 'api', actor: { name: null } }));
  await postgres.kill();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await postgres.start();
  expect(JSON.parse(await started.finished)).toMatchObject({ status: 'succeeded' });
  expect(must(await living.host.calls.get(started.id)).status).toBe('succeeded');
});

describe('a start is refused in one line', () => {
  it.each<[string, (url: URL) => void, RegExp]>([
    ['a database that does not exist', (url) => (url.pathname = '/nothing'), /does not exist.*createdb/],
    ['a server that does not answer', (url) => (url.port = '1'), /does not answer/],
  ])('for %s', async (_, change, expected) => {
    living = await startHost();
    const settings = await database();
    const url = new URL(settings.url);
    change(url);
    expect(await refusalOf({ ...settings, url: url.href })).toMatch(expected);
  });

  it('for a schema of a newer version', async () => {
    const settings = await database();
    living = await startHost({}, { database: settings });
    await living.remove();
    await postgres.run(`insert into switchboard_migrations values ('9999_later', '2030')`, settings.url);
    living = await startHost();
    expect(await refusalOf(settings)).toMatch(/made by a newer version/);
  });
});
