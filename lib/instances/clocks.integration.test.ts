import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as z from 'zod';
import { callPageSchema, callSchema } from '#lib/contract/call.ts';
import { channelSchema, messagePageSchema } from '#lib/contract/channel.ts';
import { instanceListSchema } from '#lib/contract/instance.ts';
import { API } from '#lib/contract/paths.ts';
import { type InstanceProcess, startInstance } from '#lib/testing/instances.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { busChannel, type MessageBus, startMessageBus } from '#lib/testing/message-bus.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

/** Two servers on one database; the clock of one is an hour ahead, which owns the channel. */
const AN_HOUR_MS = 3_600_000;
const SLOW = `export const TOOL = { label: 'Slow', name: 'slow_tool', description: 'Waits to be cancelled.', parameters: {},
  execute: (_, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', resolve)) };`;
const PATIENCE = { timeout: 60_000 };

let postgres: SharedPostgres;
let bus: MessageBus;
let right: InstanceProcess;
let ahead: InstanceProcess;

beforeAll(async () => {
  postgres = await sharedPostgres();
  const database = await postgres.createDatabase();
  bus = await startMessageBus();
  const files = { 'a/extension.ts': oneTool('first_tool', 'one'), 's/extension.ts': SLOW, 'channels/bus.ts': busChannel(bus.url) };
  ahead = await startInstance(database, files, {}, AN_HOUR_MS);
  await vi.waitFor(async () => expect(await read(ahead, '/channels/bus', channelSchema)).toMatchObject({ state: 'connected' }), PATIENCE);
  right = await startInstance(database, files);
}, 180_000);
afterAll(async () => {
  await Promise.all([right.remove(), ahead.remove()]);
  await bus.close();
  await postgres.close();
});

const read = async <Value>(server: InstanceProcess, path: string, schema: z.ZodType<Value>): Promise<Value> =>
  schema.parse(await (await fetch(`${server.url}/api/v1${path}`)).json());
const post = (server: InstanceProcess, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ arguments: {} }),
  });
const call = async (server: InstanceProcess, headers: Readonly<Record<string, string>> = {}) =>
  callSchema.parse(await (await post(server, '/tools/first_tool/call', headers)).json());

it('shows both servers as ready and does not end a long call, which either server can cancel', async () => {
  await vi.waitFor(async () => {
    for (const server of [right, ahead])
      expect((await read(server, '/instances', instanceListSchema)).instances.map(({ state }) => state)).toEqual(['ready', 'ready']);
  }, PATIENCE);
  const pairs = [
    [right, ahead],
    [ahead, right],
  ] as const;
  const answers = pairs.map(([one]) => post(one, '/tools/slow_tool/call'));
  const running = async (on: InstanceProcess) => (await read(on, '/calls?status=running', callPageSchema)).calls;
  for (const [, other] of pairs)
    await vi.waitFor(async () => expect(await running(other)).toMatchObject([{ tool: 'slow_tool' }, { tool: 'slow_tool' }]), PATIENCE);
  // Long enough that a silent server would be declared gone.
  const beats = new Map<string, Set<string>>();
  await vi.waitFor(async () => {
    const seen: number[] = [];
    for (const server of [right, ahead]) {
      const { instances } = await read(server, '/instances', instanceListSchema);
      expect(instances.map(({ state }) => state)).toEqual(['ready', 'ready']);
      for (const { id, last_seen: at } of instances) beats.set(id, (beats.get(id) ?? new Set()).add(at));
      seen.push(...instances.map(({ last_seen: at }) => Date.parse(at)));
    }
    expect(Math.max(...seen) - Math.min(...seen)).toBeLessThan(60_000);
    for (const times of beats.values()) expect(times.size).toBeGreaterThan(7);
  }, PATIENCE);
  for (const [one, other] of pairs) {
    const id = (await read(one, '/instances', instanceListSchema)).instances.find(({ is_self: isSelf }) => isSelf)?.id;
    const call = (await running(other)).find(({ instance }) => instance === id);
    expect((await fetch(`${other.url}/api/v1/calls/${call?.id}/cancel`, { method: 'POST' })).status).toBe(200);
  }
  for (const answer of answers) expect(await (await answer).json()).toMatchObject({ status: 'cancelled' });
});

it('lists all calls of both servers, page by page, and runs a repeated request once', async () => {
  const made: string[] = [];
  for (let at = 0; at < 20; at += 1) made.push((await call(at % 2 === 0 ? right : ahead)).id);
  for (const server of [right, ahead]) {
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: z.infer<typeof callPageSchema> = await read(
        server,
        `/calls?tool=first_tool&limit=7${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        callPageSchema,
      );
      found.push(...page.calls.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(found.toSorted()).toEqual(made.toSorted());
  }
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const key = { 'idempotency-key': `key-${one.port}` };
    const first = await call(one, key);
    expect((await call(other, key)).id).toBe(first.id);
  }
});

it('serves a file saved on either server', async () => {
  for (const [at, server] of [right, ahead].entries()) {
    const text = oneTool(`saved_${at}`, 'saved');
    const saved = await fetch(`${server.url}${API.source(`b${at}/extension.ts`)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, expected_hash: null }),
    });
    expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining('extension.ts')]);
    for (const other of [right, ahead])
      await vi.waitFor(async () => expect((await post(other, `/tools/saved_${at}/call`)).status).toBe(200), PATIENCE);
  }
});

it('fails the calls of a killed server, and moves its channel to the other one, which answers each message once', async () => {
  const commands = { commands: { enabled: true, tools: ['first_tool'] } };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${right.url}/api/v1/channels/bus`, { method: 'PATCH', headers, body: JSON.stringify(commands) });
  const waiting = post(ahead, '/tools/slow_tool/call').catch(() => null);
  await vi.waitFor(async () => expect((await read(right, '/calls?status=running', callPageSchema)).calls).toHaveLength(1), PATIENCE);
  bus.push({ text: '/first_tool text=1', idempotency_key: 'one' });
  // Not within a send, whose end the next owner cannot know.
  await vi.waitFor(async () => {
    const { messages } = await read(right, '/channels/bus/messages', messagePageSchema);
    expect(messages.filter(({ direction }) => direction === 'out').map(({ state }) => state)).toEqual(['sent']);
  }, PATIENCE);
  expect(bus.sent).toHaveLength(1);
  const owner = (await read(right, '/channels/bus', channelSchema)).instance;
  ahead.signal('SIGKILL');
  await waiting;
  await vi.waitFor(async () => {
    const { calls } = await read(right, `/calls?status=failed&instance=${owner}`, callPageSchema);
    expect(calls).toMatchObject([{ tool: 'slow_tool', error: { kind: 'extension_crashed' } }]);
  }, PATIENCE);
  bus.push({ text: '/first_tool text=2' });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(2), PATIENCE);
});
