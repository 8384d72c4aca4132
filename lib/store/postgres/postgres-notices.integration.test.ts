import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type FaultProxy, startFaultProxy } from '#lib/testing/fault-proxy.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';
import { listenForNotices, type ListeningNotices } from './postgres-notices.ts';

const PATIENCE = { timeout: 20_000 };
let server: SharedPostgres;
let proxy: FaultProxy;
/** Notices of a server whose connection fails, and of another server. */
let failing: ListeningNotices;
let other: ListeningNotices;
let heard: string[];

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(() => server.close());

beforeEach(async () => {
  const url = await server.createDatabase();
  proxy = await startFaultProxy([server.port]);
  const through = new URL(url);
  through.port = String(proxy.port);
  failing = await listenForNotices(through.href);
  other = await listenForNotices(url);
  heard = [];
  for (const kind of ['files', 'channels'] as const) other.on(kind, (about) => heard.push(`${kind} ${about}`));
});
afterEach(async () => {
  await Promise.all([failing.close(), other.close()]);
  await proxy.close();
});

it('sends each kind of notice once that occurred while its connection was lost', async () => {
  failing.send('files', 'one');
  await vi.waitFor(() => expect(heard).toEqual(['files one']), PATIENCE);
  proxy.cut();
  failing.send('files', 'two');
  failing.send('files', 'three');
  await vi.waitFor(() => expect(failing.isAway()).toBe(true), PATIENCE);
  failing.send('channels', 'four');
  failing.send('channels', 'five');
  proxy.resume();
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(['channels ', 'files ', 'files one']), PATIENCE);
  failing.send('files', 'six');
  await vi.waitFor(() => expect(heard.at(-1)).toBe('files six'), PATIENCE);
  expect(heard).toHaveLength(4);
});

it('asks its own listeners to refetch after its connection was lost', async () => {
  const asked: string[] = [];
  failing.on('channels', (about) => asked.push(about));
  proxy.cut();
  await vi.waitFor(() => expect(failing.isAway()).toBe(true), PATIENCE);
  proxy.resume();
  await vi.waitFor(() => expect(asked).toEqual(['']), PATIENCE);
});
