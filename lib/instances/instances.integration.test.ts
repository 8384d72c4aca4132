import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { DatabaseSettings } from '#lib/host/config.ts';
import { type LivingHost, must, OF_SQLITE, oneTool, startHost } from '#lib/testing/living-host.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

const PATIENCE = { timeout: 20_000 };
const ADA = { name: null };
const SLOW = `export const TOOL = { label: 'Slow', name: 'slow_tool', description: 'Waits to be cancelled.', parameters: {},
  execute: (_, ctx) => new Promise((resolve) => { ctx.log.info('waiting'); ctx.signal.addEventListener('abort', resolve); }) };`;
const FILES = { 'a/extension.ts': oneTool('first_tool', 'one'), 's/extension.ts': SLOW };
let postgres: SharedPostgres;
let database: DatabaseSettings;
let first: LivingHost;
let second: LivingHost;
/** Others than the two that all tests share. */
let others: LivingHost[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
  database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
  first = await startHost(FILES, { database });
  second = await startHost(FILES, { database });
  await vi.waitFor(async () => {
    const { instances } = await second.host.instances.list();
    expect(instances.map(({ state, extensions }) => [state, extensions.ready])).toEqual(Array(2).fill(['ready', 2]));
  }, PATIENCE);
});

afterEach(async () => {
  await Promise.all(others.map((living) => living.remove()));
  others = [];
});

afterAll(async () => {
  await Promise.all([first.remove(), second.remove()]);
  await postgres.close();
});

it('lists the servers on one database, and shows the server that ran a call', async () => {
  const { instances } = await first.host.instances.list();
  const self = instances.find((instance) => instance.is_self);
  const called = await first.call('first_tool');
  expect(called.instance).toBe(self?.id);
  expect(must(await second.host.calls.get(called.id))).toEqual(called);
  expect((await second.host.instances.list()).instances.find((instance) => instance.is_self)?.id).not.toBe(self?.id);
});

it('uses the id from INSTANCE_ID, also after a restart, and refuses a second server with that id', async () => {
  let named = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { database, instanceId: 'alpha' });
  others = [named];
  const ids = async () => (await second.host.instances.list()).instances.filter(({ state }) => state !== 'gone').map(({ id }) => id);
  expect((await named.call('first_tool')).instance).toBe('alpha');
  expect(await ids()).toContain('alpha');
  named = await named.restart();
  others = [named];
  expect((await named.call('first_tool')).instance).toBe('alpha');
  expect((await second.host.instances.list()).instances.filter(({ id }) => id === 'alpha')).toMatchObject([{ state: 'ready' }]);
  await expect(startHost({}, { database, instanceId: 'alpha' })).rejects.toThrow(
    'INSTANCE_ID is "alpha", which another running instance on this database has; give each instance its own, or none.',
  );
  expect(await ids()).toHaveLength(3);
  expect((await first.call('first_tool')).instance).not.toBe('alpha');
});

it('has an id without a shared database too', async () => {
  const living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, { ...OF_SQLITE, instanceId: 'alone' });
  others = [living];
  expect((await living.call('first_tool')).instance).toBe('alone');
  expect((await living.host.instances.list()).instances).toMatchObject([{ id: 'alone', is_self: true }]);
  const unnamed = await startHost({}, OF_SQLITE);
  others.push(unnamed);
  expect((await unnamed.host.instances.list()).instances[0]?.id).toMatch(new RegExp(`-${process.pid}$`));
});

it('shows the logs of a call and cancels it on a server that does not run it', async () => {
  const started = must(await first.host.calls.start({ tool: 'slow_tool', arguments: {}, source: 'api', actor: ADA }));
  await vi.waitFor(async () => {
    expect(must(await second.host.calls.get(started.id))).toMatchObject({ status: 'running', logs: [{ message: 'waiting' }] });
  }, PATIENCE);
  expect(must(await second.host.calls.cancel(started.id))).toMatchObject({ status: 'cancelled' });
  expect(JSON.parse(await started.finished)).toMatchObject({ status: 'cancelled' });
});

it('sends the events of all servers to each, with the same numbers', async () => {
  const from = second.host.events.lastId();
  const ids = [await first.call('first_tool'), await second.call('first_tool')].map(({ id }) => id);
  await vi.waitFor(() => {
    const [seen, elsewhere] = [first, second].map(({ host }) =>
      // Calls of other tests may end late.
      host.events.since(from)?.filter(({ type, data }) => type === 'call.finished' && ids.includes(String(data.call_id))),
    );
    expect(seen).toHaveLength(2);
    expect(elsewhere).toEqual(seen);
  }, PATIENCE);
});

it('runs two requests with one idempotency key once', async () => {
  const before = new Set(must(await first.host.calls.list({ limit: 200 })).calls.map(({ id }) => id));
  const request = { tool: 'first_tool', arguments: {}, source: 'api', actor: ADA } as const;
  const outcomes = await Promise.all([first, second, first, second].map(({ host }) => host.calls.startOnce('key-1', request)));
  for (const outcome of outcomes) if (outcome.ok) await outcome.value.finished;
  expect(outcomes.filter((outcome) => outcome.ok && !outcome.value.isRepeated)).toHaveLength(1);
  const { calls } = must(await first.host.calls.list({ limit: 200 }));
  expect(calls.filter(({ id }) => !before.has(id))).toHaveLength(1);
});

it('lists a stopped server as gone, and notifies pages', async () => {
  const from = first.host.events.lastId();
  const stopped = (await second.host.instances.list()).instances.find((instance) => instance.is_self)?.id;
  await second.host.close();
  expect((await first.host.instances.list()).instances.find(({ id }) => id === stopped)).toMatchObject({ state: 'gone', calls_running: 0 });
  expect(await first.call('first_tool')).toMatchObject({ status: 'succeeded' });
  await vi.waitFor(() => expect(first.host.events.since(from)?.map(({ type }) => type)).toContain('instance.changed'), PATIENCE);
});
