import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';
import { startPostgres, type TestPostgres } from '#lib/testing/postgres.ts';
import type { DatabaseSettings } from './config.ts';
import { createHost } from './create-host.ts';
import { createLogger } from './logger.ts';

/** A database that answers with errors. */
const PATIENCE = { timeout: 30_000 };
const REQUEST = { tool: 'first_tool', arguments: {}, source: 'api', actor: { name: null } } as const;
let postgres: TestPostgres;
let living: LivingHost | null = null;

beforeAll(async () => {
  const rules = [
    'host all with_password 127.0.0.1/32 scram-sha-256',
    'hostssl all with_tls 127.0.0.1/32 trust',
    'host all with_tls 127.0.0.1/32 reject',
  ];
  postgres = await startPostgres([], rules);
  for (const role of ['with_password', 'with_tls', 'with_two_connections'])
    await postgres.run(`create role ${role} login superuser password 'right'`);
  await postgres.run('alter role with_two_connections nosuperuser connection limit 2');
});

afterEach(async () => {
  await living?.remove();
  living = null;
});

afterAll(() => postgres.close());

async function database(change: Partial<DatabaseSettings> = {}): Promise<DatabaseSettings> {
  return { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0, ...change };
}

async function serving(settings: DatabaseSettings): Promise<LivingHost> {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { database: settings });
  expect(await living.call('first_tool')).toMatchObject({ status: 'succeeded' });
  return living;
}

async function refusal({ host }: LivingHost, code: string, words: string): Promise<void> {
  expect(await host.calls.start(REQUEST)).toMatchObject({ ok: false, problem: { code } });
  expect(host.health()).toMatchObject({ storage: { ok: false, reason: expect.stringContaining(words) } });
}

it('reports a read-only database, and serves again once it is writable', async () => {
  const settings = await database();
  const server = await serving(settings);
  const name = new URL(settings.url).pathname.slice(1);
  const drop = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'switchboard'`;
  await postgres.run(`alter database ${name} set default_transaction_read_only = on`);
  await postgres.run(drop);
  const words = 'is read-only, as a standby or during recovery. Point DATABASE_URL at the primary';
  await vi.waitFor(() => refusal(server, 'storage_unavailable', words), PATIENCE);
  await postgres.run(`alter database ${name} reset default_transaction_read_only`);
  await postgres.run(drop);
  await vi.waitFor(() => expect(server.host.health()).toMatchObject({ ready: true, storage: { ok: true } }), PATIENCE);
  expect(await server.call('first_tool')).toMatchObject({ status: 'succeeded' });
});

describe('an insert of calls that the database answers with an error', () => {
  const failing = (body: string): string =>
    `create function fail() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
     create trigger fail before insert on calls for each row execute function fail()`;

  it('of a full disk is refused as storage_full, and works again with space', PATIENCE, async () => {
    const settings = await database();
    const server = await serving(settings);
    await postgres.run(failing(`raise exception 'could not extend file' using errcode = '53100';`), settings.url);
    await refusal(server, 'storage_full', 'Free some space there');
    await postgres.run('drop trigger fail on calls', settings.url);
    expect(await server.call('first_tool')).toMatchObject({ status: 'succeeded' });
    expect(server.host.health()).toMatchObject({ storage: { ok: true } });
  });

  it('that is slow waits for it', PATIENCE, async () => {
    const settings = await database();
    const { call } = await serving(settings);
    await postgres.run(failing('perform pg_sleep(2);'), settings.url);
    expect(await call('first_tool')).toMatchObject({ status: 'succeeded' });
  });

  it('that is slower than DATABASE_STATEMENT_SECONDS is refused, and no tool runs', PATIENCE, async () => {
    const settings = await database({ statementMs: 1_000 });
    const server = await serving(settings);
    await postgres.run(failing('perform pg_sleep(30);'), settings.url);
    await refusal(server, 'storage_unavailable', 'DATABASE_STATEMENT_SECONDS');
    await postgres.run('drop trigger fail on calls', settings.url);
    expect(await server.call('first_tool')).toMatchObject({ status: 'succeeded' });
    expect(await server.host.calls.list({ limit: 10 })).toMatchObject({ value: { calls: [{}, {}] } });
  });
});

describe('a start reports in one line', () => {
  async function reasonFor(change: (url: URL) => void): Promise<string> {
    living = await startHost();
    const settings = await database();
    const url = new URL(settings.url);
    // Before version 15 every user may create tables there.
    await postgres.run('revoke create on schema public from public', settings.url);
    change(url);
    const logger = createLogger({ level: 'error', readable: false, write: () => undefined });
    const made = await createHost({ ...TEST_CONFIG, dataDir: `${living.folder}/other`, database: { ...settings, url: url.href } }, logger);
    if (!made.ok) return made.reason;
    await made.host.close(0);
    return '';
  }

  it.each<[string, (url: URL) => void, RegExp]>([
    [
      'that the password is wrong',
      (url) => ((url.username = 'with_password'), (url.password = 'wrong')),
      /refuses the password in DATABASE_URL/,
    ],
    ['that TLS is required', (url) => (url.username = 'with_tls'), /for TLS add \?sslmode=verify-full/],
    ['that the server offers no TLS', (url) => url.searchParams.set('sslmode', 'verify-full'), /TLS|SSL/],
    ['that the user may not create tables', (url) => (url.username = 'with_two_connections'), /Grant it the rights|no free connection/],
  ])('%s', async (_, change, expected) => {
    const reason = await reasonFor(change);
    expect(reason).toMatch(expected);
    expect(reason).not.toMatch(/wrong|right@|\n/);
  });
});

it('waits for a free connection when the database allows fewer than DATABASE_POOL', async () => {
  const settings = await database();
  const url = new URL(settings.url);
  await postgres.run(`alter database ${url.pathname.slice(1)} owner to with_two_connections`);
  url.username = 'with_two_connections';
  const { host } = await serving({ ...settings, url: url.href });
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => host.calls.start(REQUEST)));
  expect(outcomes.map(({ ok }) => ok)).toEqual(outcomes.map(() => true));
});
