import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { callSchema } from '#lib/contract/call.ts';
import { channelSchema, messagePageSchema } from '#lib/contract/channel.ts';
import { type FaultProxy, startFaultProxy } from '#lib/testing/fault-proxy.ts';
import { type InstanceProcess, startInstance } from '#lib/testing/instances.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { busChannel, type MessageBus, startMessageBus } from '#lib/testing/message-bus.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

/** Real processes on one database; one of them is killed, paused, disconnected or restarted. Tests use those that still run. */
const PATIENCE = { timeout: 60_000, interval: 100 };
const PAUSE_MS = 50;
const WAIT = `export const TOOL = { label: 'Wait', name: 'wait', description: 'Waits for a minute.', parameters: {},
  execute: () => new Promise((resolve) => setTimeout(resolve, 60_000)) };`;
const callsSchema = z.object({ calls: z.array(callSchema) });
const instancesSchema = z.object({
  instances: z.array(
    z.object({ id: z.string(), state: z.string(), is_self: z.boolean(), calls_running: z.number(), last_seen: z.string() }),
  ),
});
/** For a rolling restart; other ends are kills. */
const VARIABLES = { DRAIN_SECONDS: '2' };
let postgres: SharedPostgres;
let bus: MessageBus;
let url: string;
let running: Place[] = [];
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
  bus = await startMessageBus();
  ends.push(
    () => postgres.close(),
    () => bus.close(),
  );
  url = await postgres.createDatabase();
});

afterEach(() => {
  for (const { instance, database } of running) {
    instance.signal('SIGCONT');
    database.resume();
  }
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

interface Place {
  /** The database through a proxy of this instance. */
  readonly database: FaultProxy;
  readonly instance: InstanceProcess;
}

async function start(on: string, { url: busUrl }: MessageBus, variables: Readonly<Record<string, string>>): Promise<Place> {
  const database = await startFaultProxy([postgres.port]);
  ends.push(() => database.close());
  const through = new URL(on);
  through.port = String(database.port);
  const files = { 'a/extension.ts': oneTool('first_tool', 'one'), 'w/extension.ts': WAIT, 'channels/bus.ts': busChannel(busUrl) };
  const instance = await startInstance(through.href, files, variables);
  ends.push(() => instance.remove());
  await vi.waitFor(async () => expect((await get(instance, '/readyz')).status).toBe(200), PATIENCE);
  return { database, instance };
}

async function startNext(): Promise<Place> {
  const place = await start(url, bus, VARIABLES);
  running.push(place);
  void place.instance.ended.then(() => (running = running.filter((one) => one !== place)));
  return place;
}

/** Two instances, if possible those of the test before. The first owns the channel. */
async function two(): Promise<readonly [Place, Place]> {
  while (running.length < 2) await startNext();
  const [one, other] = running;
  if (one === undefined || other === undefined) throw new Error('two instances were started');
  return vi.waitFor(async () => {
    for (const { instance } of [one, other]) expect((await get(instance, '/readyz')).status).toBe(200);
    const { state, instance: owner } = await bound(one.instance);
    expect(state).toBe('connected');
    const ids = [await idOf(one.instance), await idOf(other.instance)];
    expect(ids).toContain(owner);
    const found = owner === ids[0] ? ([one, other] as const) : ([other, one] as const);
    await post(found[0].instance, '/api/v1/channels/bus', { commands: { enabled: true, tools: ['first_tool'] } }, 'PATCH');
    return found;
  }, PATIENCE);
}

const get = ({ url }: Pick<InstanceProcess, 'url'>, path: string) => fetch(url + path, { headers: { connection: 'close' } });
const post = (
  { url }: Pick<InstanceProcess, 'url'>,
  path: string,
  body: unknown,
  method = 'POST',
  connection: 'close' | 'keep-alive' = 'close',
) => fetch(url + path, { method, headers: { 'content-type': 'application/json', connection }, body: JSON.stringify(body) });
const call = (at: Pick<InstanceProcess, 'url'>, tool = 'first_tool') => post(at, `/api/v1/tools/${tool}/call`, { arguments: {} });
const bound = async (at: InstanceProcess) => channelSchema.parse(await (await get(at, '/api/v1/channels/bus')).json());
const calls = async (at: InstanceProcess, query: string) =>
  callsSchema.parse(await (await get(at, `/api/v1/calls?limit=200&${query}`)).json()).calls;
const sentStates = async (at: InstanceProcess) =>
  new Set(
    messagePageSchema
      .parse(await (await get(at, '/api/v1/channels/bus/messages')).json())
      .messages.filter(({ direction }) => direction === 'out')
      .map(({ state }) => state),
  );
const instances = async (at: InstanceProcess) => instancesSchema.parse(await (await get(at, '/api/v1/instances')).json()).instances;
const idOf = async (at: InstanceProcess) => (await instances(at)).find(({ is_self }) => is_self)?.id;
const ok = async (at: Pick<InstanceProcess, 'url'>) => expect((await call(at)).status).toBe(200);

/** Makes concurrent calls through it until it is stopped. Pauses leave processor time to the instances that start meanwhile. */
function load(through: { readonly url: string }, atOnce: number, connection: 'close' | 'keep-alive' = 'close') {
  const done: string[] = [];
  const failed: string[] = [];
  let isOver = false;
  const loops = Array.from({ length: atOnce }, async () => {
    while (!isOver) {
      try {
        const answer = await post(through, '/api/v1/tools/first_tool/call', { arguments: {} }, 'POST', connection);
        const text = await answer.text();
        if (answer.status === 200) done.push(callSchema.parse(JSON.parse(text)).id);
        else failed.push(`${answer.status} ${text.slice(0, 200)}`);
      } catch (error) {
        failed.push(String(error instanceof Error ? (error.cause ?? error) : error));
      }
      await delay(PAUSE_MS);
    }
  });
  return {
    done,
    failed,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

it('loses no acknowledged call when an instance is killed, and ends its running calls', async () => {
  const [first, second] = await two();
  const dead = await idOf(first.instance);
  const proxy = await startFaultProxy([first.instance.port, second.instance.port]);
  ends.push(() => proxy.close());
  const waiting = call(first.instance, 'wait').catch(() => null);
  await vi.waitFor(async () => expect(await calls(second.instance, 'tool=wait&status=running')).toHaveLength(1), PATIENCE);
  const failedBefore = (await calls(second.instance, 'status=failed')).map(({ id }) => id);
  const made = load({ url: `http://127.0.0.1:${proxy.port}` }, 8);
  await vi.waitFor(() => expect(made.done.length).toBeGreaterThan(50), PATIENCE);
  first.instance.signal('SIGKILL');
  await first.instance.ended;
  const before = made.done.length;
  await vi.waitFor(() => expect(made.done.length).toBeGreaterThan(before + 50), PATIENCE);
  await made.stop();
  await waiting;
  await vi.waitFor(async () => expect(await calls(second.instance, 'status=running')).toEqual([]), { timeout: 15_000, interval: 200 });
  for (const id of made.done) {
    const kept = callSchema.parse(await (await get(second.instance, `/api/v1/calls/${id}`)).json());
    expect(kept).toMatchObject({ id, status: 'succeeded' });
  }
  const cut = (await calls(second.instance, 'status=failed')).filter(({ id }) => !failedBefore.includes(id));
  expect(cut.length).toBeGreaterThan(0);
  for (const one of cut)
    expect(one).toMatchObject({ instance: dead, error: { kind: 'extension_crashed', message: expect.stringContaining(dead ?? '') } });
  expect(cut.map(({ tool }) => tool)).toContain('wait');

  // As if the instance died after it stored the key and before it stored the call.
  const once = async (): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' };
    const answer = await fetch(`${second.instance.url}/api/v1/tools/first_tool/call`, {
      method: 'POST',
      headers,
      body: '{"arguments":{}}',
    });
    return [answer.status, callSchema.safeParse(await answer.json()).data?.id];
  };
  const [, known] = (await once()) as [number, string];
  const unbegun = randomUUIDv7();
  await postgres.run(`update idempotency_keys set call_id = '${unbegun}', instance = '${dead}'`, url);
  await vi.waitFor(async () => expect(await once()).toEqual([200, expect.not.stringMatching(`${known}|${unbegun}`)]), PATIENCE);
  expect(await once()).toEqual(await once());
  await vi.waitFor(async () => expect(await bound(second.instance)).toMatchObject({ state: 'connected' }), PATIENCE);
});

it('refuses calls and releases its channel when the database connection is cut or stalls, and recovers automatically', async () => {
  let [owner, other] = await two();
  for (const how of ['cut', 'hold'] as const) {
    const sent = bus.sent.length;
    owner.database[how]();
    await vi.waitFor(async () => expect((await get(owner.instance, '/readyz')).status).toBe(503), PATIENCE);
    const refused = await call(owner.instance);
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'storage_unavailable' }]);
    const page = await get(owner.instance, '/calls');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await page.text()).toMatch(/http-equiv="refresh" content="5".*The database does not answer/s);
    await ok(other.instance);
    const next = await idOf(other.instance);
    await vi.waitFor(async () => expect(await bound(other.instance)).toMatchObject({ state: 'connected', instance: next }), PATIENCE);
    for (const text of ['/first_tool text=1', '/first_tool text=2']) bus.push({ text });
    await vi.waitFor(() => expect(bus.sent).toHaveLength(sent + 2), PATIENCE);
    owner.database.resume();
    await vi.waitFor(async () => expect((await get(owner.instance, '/readyz')).status).toBe(200), PATIENCE);
    await ok(owner.instance);
    bus.push({ text: '/first_tool text=3' });
    await vi.waitFor(() => expect(bus.sent).toHaveLength(sent + 3), PATIENCE);
    await vi.waitFor(async () => {
      expect((await instances(other.instance)).filter(({ state }) => state === 'ready')).toHaveLength(2);
    }, PATIENCE);
    expect((await bound(owner.instance)).instance).toBe(next);
    [owner, other] = [other, owner];
  }
});

it('answers each message once when the owner of a channel is paused, and rejects later writes of that owner', async () => {
  const [first, second] = await two();
  const [before, other] = [await idOf(first.instance), await idOf(second.instance)];
  const sent = bus.sent.length;
  bus.push({ text: '/first_tool text=0' });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(sent + 1), PATIENCE);
  // Not within a send, whose end the next owner cannot know.
  await vi.waitFor(async () => expect(await sentStates(second.instance)).toEqual(new Set(['sent'])), PATIENCE);
  first.instance.signal('SIGSTOP');
  // Its channel process still receives; these messages must not be confirmed.
  for (let at = 1; at <= 5; at += 1) bus.push({ text: `/first_tool text=${at}` });
  await vi.waitFor(async () => expect(await bound(second.instance)).toMatchObject({ state: 'connected', instance: other }), PATIENCE);
  await vi.waitFor(() => expect(bus.sent.length).toBeGreaterThanOrEqual(sent + 6), PATIENCE);
  first.instance.signal('SIGCONT');
  await vi.waitFor(async () => expect(await idOf(first.instance)).not.toBe(before), PATIENCE);
  await ok(first.instance);
  bus.push({ text: '/first_tool text=6' });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(sent + 7), PATIENCE);
  const answers = bus.sent.slice(sent).map(({ text }) => z.object({ text: z.string() }).parse(JSON.parse(text)).text);
  expect(answers.toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  expect((await bound(first.instance)).instance).toBe(other);
});

it('loses no request in a rolling restart under load, with short-lived and keep-alive connections', async () => {
  let places: readonly Place[] = await two();
  const portsOf = (among: readonly Place[]) => among.map(({ instance }) => instance.port);
  // One proxy each: a request with `connection: close` would close a keep-alive connection.
  const proxies = [await startFaultProxy(portsOf(places)), await startFaultProxy(portsOf(places))];
  for (const proxy of proxies) ends.push(() => proxy.close());
  const loads = (['close', 'keep-alive'] as const).map((connection, at) =>
    load({ url: `http://127.0.0.1:${proxies[at]?.port}` }, 4, connection),
  );
  for (const leaving of places) {
    const fresh = await startNext();
    places = [...places, fresh];
    for (const proxy of proxies) proxy.setTargets(portsOf(places));
    leaving.instance.signal('SIGTERM');
    // As a load balancer with readiness probes.
    await vi.waitFor(async () => expect((await get(leaving.instance, '/readyz')).status).toBe(503), { timeout: 1_500, interval: 20 });
    places = places.filter((place) => place !== leaving);
    for (const proxy of proxies) proxy.setTargets(portsOf(places));
    expect(await leaving.instance.ended).toBe(0);
  }
  for (const { stop, failed, done } of loads) {
    await stop();
    expect(failed).toEqual([]);
    expect(done.length).toBeGreaterThan(50);
  }
  const [place] = places;
  if (place === undefined) throw new Error('an instance was started');
  expect(await calls(place.instance, 'status=running')).toEqual([]);
});

it('restarts with the same INSTANCE_ID after a kill, and ends its earlier calls', async () => {
  const alone = await postgres.createDatabase();
  const ownBus = await startMessageBus();
  ends.push(() => ownBus.close());
  const killed = await start(alone, ownBus, { INSTANCE_ID: 'alpha' });
  await vi.waitFor(async () => expect(await bound(killed.instance)).toMatchObject({ state: 'connected' }), PATIENCE);
  const waiting = call(killed.instance, 'wait').catch(() => null);
  await vi.waitFor(async () => expect(await calls(killed.instance, 'status=running')).toHaveLength(1), PATIENCE);
  await ok(killed.instance);
  killed.instance.signal('SIGKILL');
  await killed.instance.ended;
  await waiting;
  // As if the instance died after it stored the key and before it stored the call.
  const unbegun = `('one', 'hash', '${randomUUIDv7()}', ${Date.now()}, 'alpha')`;
  await postgres.run(`insert into idempotency_keys (key, request_hash, call_id, created_at, instance) values ${unbegun}`, alone);
  const { instance } = await start(alone, ownBus, { INSTANCE_ID: 'alpha' });
  // The list shows stored states, the last of which may be that of the start.
  const self = { id: 'alpha', state: 'ready', is_self: true };
  await vi.waitFor(async () => expect(await instances(instance)).toMatchObject([self]), PATIENCE);
  expect(await calls(instance, 'status=running')).toEqual([]);
  expect(await calls(instance, 'tool=wait')).toMatchObject([{ status: 'failed', instance: 'alpha', error: { kind: 'extension_crashed' } }]);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' };
  const again = await fetch(`${instance.url}/api/v1/tools/first_tool/call`, { method: 'POST', headers, body: '{"arguments":{}}' });
  expect([again.status, callSchema.parse(await again.json()).instance]).toEqual([200, 'alpha']);
  await vi.waitFor(async () => expect(await bound(instance)).toMatchObject({ state: 'connected' }), PATIENCE);
});
