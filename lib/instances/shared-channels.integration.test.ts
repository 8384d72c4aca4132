import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import { busChannel, type MessageBus, startMessageBus } from '#lib/testing/message-bus.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';

const PATIENCE = { timeout: 30_000 };
const NOBODY = { name: null };
let postgres: SharedPostgres;
let url: string;
let bus: MessageBus;
let running: LivingHost[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
});

beforeEach(async () => {
  bus = await startMessageBus();
});

afterEach(async () => {
  await Promise.all(running.map((living) => living.remove()));
  running = [];
  await bus.close();
});

afterAll(() => postgres.close());

/** Two hosts; the first owns the channel. */
async function two(): Promise<readonly [LivingHost, LivingHost]> {
  url = await postgres.createDatabase();
  const database = { url, connections: 5, statementMs: 5_000, startMs: 0 };
  const files = { 'channels/bus.ts': busChannel(bus.url), 'a/extension.ts': oneTool('first_tool', 'one') };
  const first = await startHost(files, { database });
  running = [first];
  await vi.waitFor(async () => expect(await shown(first)).toMatchObject({ state: 'connected', instance: await idOf(first) }), PATIENCE);
  const second = await startHost(files, { database });
  running.push(second);
  return [first, second];
}

const shown = async ({ host }: LivingHost): Promise<Channel> => must(await host.channels.get('bus'));
const idOf = async ({ host }: LivingHost) => (await host.instances.list()).instances.find(({ is_self }) => is_self)?.id;
const messages = async ({ host }: LivingHost): Promise<Message[]> => must(await host.channels.messages('bus', { limit: 200 })).messages;
const textsIn = async (living: LivingHost) =>
  (await messages(living))
    .filter(({ direction }) => direction === 'in')
    .map(({ text }) => text)
    .toReversed();

it('receives on one server, and is usable from each', async () => {
  const [first, second] = await two();
  const owner = await idOf(first);
  for (const each of [first, second]) expect(await shown(each)).toMatchObject({ state: 'connected', instance: owner });
  expect((await second.host.channels.list()).channels.map(({ name, instance }) => [name, instance])).toEqual([
    ['bus', owner],
    ['web', null],
  ]);
  bus.push({ text: 'hello' });
  await vi.waitFor(async () => expect(await textsIn(second)).toEqual(['hello']), PATIENCE);
  must(await second.host.channels.send('bus', { text: 'from the other', recipient: 'Ada' }, NOBODY));
  await vi.waitFor(() => expect(bus.sent.map(({ text }) => text)).toEqual(['from the other']), PATIENCE);
  must(await second.host.channels.configure('bus', { commands: { enabled: true, tools: ['*'] } }, NOBODY));
  await vi.waitFor(async () => expect((await shown(first)).commands.enabled).toBe(true), PATIENCE);
  expect(must(await second.host.channels.inject('bus', { text: '/first_tool', sender: 'Bob' }, NOBODY))).toMatchObject({ injected: true });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(2), PATIENCE);
  expect(must(await second.host.calls.list({ limit: 5 })).calls).toMatchObject([{ tool: 'first_tool', instance: owner }]);
  expect(must(await second.host.channels.retry('bus', NOBODY))).toMatchObject({ instance: owner });
  expect(bus.connects()).toBe(1);
});

it('moves to another server when its owner ends, and answers each message once', async () => {
  const [first, second] = await two();
  must(await second.host.channels.configure('bus', { commands: { enabled: true, tools: ['*'] } }, NOBODY));
  await vi.waitFor(async () => expect((await shown(first)).commands.enabled).toBe(true), PATIENCE);
  const texts = Array.from({ length: 20 }, (_, at) => `/first_tool text=${at}`);
  // The service redelivers a message that was stored and not yet confirmed.
  for (const text of texts.slice(0, 10)) bus.push({ text, idempotency_key: text });
  const closed = first.host.close();
  for (const text of texts.slice(10)) bus.push({ text, idempotency_key: text });
  await closed;
  await vi.waitFor(async () => expect(await shown(second)).toMatchObject({ state: 'connected', instance: await idOf(second) }), PATIENCE);
  await vi.waitFor(async () => expect(await textsIn(second)).toEqual(texts), PATIENCE);
  await vi.waitFor(() => expect(bus.sent).toHaveLength(20), PATIENCE);
  const replies = (await messages(second)).filter(({ direction }) => direction === 'out').map(({ reply_to }) => reply_to);
  expect(new Set(replies).size).toBe(20);
});

it('moves to another server when its process stops too often on its owner', async () => {
  url = await postgres.createDatabase();
  const database = { url, connections: 5, statementMs: 5_000, startMs: 0 };
  const fragile = busChannel(bus.url).replace(
    'return answer.json();',
    `const message = await answer.json();
  if (message.text === 'fatal here' && process.env.FRAGILE === 'yes') process.exit(9);
  return message;`,
  );
  const files = { 'channels/bus.ts': fragile };
  running = [await startHost(files, { database }, null, { FRAGILE: 'yes' })];
  const [first] = running as [LivingHost];
  await vi.waitFor(async () => expect(await shown(first)).toMatchObject({ state: 'connected' }), PATIENCE);
  const second = await startHost(files, { database });
  running.push(second);
  bus.push({ text: 'fatal here' });
  for (const each of [first, second])
    await vi.waitFor(async () => expect(await shown(each)).toMatchObject({ state: 'connected', instance: await idOf(second) }), PATIENCE);
  await vi.waitFor(async () => expect(await textsIn(first)).toEqual(['fatal here']), PATIENCE);
});

it('loses no message of steady traffic when its owner stops', async () => {
  const [first, second] = await two();
  const texts: string[] = [];
  const traffic = setInterval(() => {
    texts.push(`message ${texts.length}`);
    bus.push({ text: texts.at(-1) ?? '' });
  }, 50);
  await vi.waitFor(async () => expect((await textsIn(second)).length).toBeGreaterThan(10), PATIENCE);
  await first.host.close();
  const before = texts.length;
  await vi.waitFor(() => expect(texts.length).toBeGreaterThan(before + 20), PATIENCE);
  clearInterval(traffic);
  // Within the limit of one page of results.
  await vi.waitFor(async () => expect(new Set(await textsIn(second))).toEqual(new Set(texts)), PATIENCE);
});

it('refuses writes of an owner that lost its lease, and loses no message', async () => {
  const [first, second] = await two();
  must(await first.host.channels.configure('bus', { commands: { enabled: true, tools: ['*'] } }, NOBODY));
  // Another server acquired the lease, and died.
  await postgres.run(
    `update leases set instance = 'ghost', epoch = epoch + 1, expires_at = extract(epoch from clock_timestamp()) * 1000 + 3000 where name = 'channel:bus'`,
    url,
  );
  bus.push({ text: '/first_tool' });
  await vi.waitFor(() => expect(bus.connects()).toBe(2), PATIENCE);
  await vi.waitFor(() => expect(bus.sent).toHaveLength(1), PATIENCE);
  expect(await textsIn(second)).toEqual(['/first_tool']);
  expect((await shown(second)).dropped).toBe(0);
  expect((await messages(second)).filter(({ direction }) => direction === 'out')).toHaveLength(1);
  const log = must(first.host.extensions.logs('channels/bus', {})).lines.map(({ message }) => message);
  expect(log).toContain('Restarted: this instance does not own the channel any more');
  expect(log).not.toContain('Restarted by a person');
});

it('runs a redelivered message once, and sends each attempt with the same key', async () => {
  const [first, second] = await two();
  must(await first.host.channels.configure('bus', { commands: { enabled: true, tools: ['*'] } }, NOBODY));
  bus.push({ text: '/first_tool', idempotency_key: 'a' });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(1), PATIENCE);
  // The owner died before it confirmed the message, and while it sent the reply.
  bus.push({ text: '/first_tool', idempotency_key: 'a' });
  bus.push({ text: '/first_tool', idempotency_key: 'b' });
  await vi.waitFor(() => expect(bus.sent).toHaveLength(2), PATIENCE);
  // The end of the send is stored after the service received the message.
  await vi.waitFor(async () => expect((await messages(second)).filter(({ state }) => state === 'sent')).toHaveLength(2), PATIENCE);
  await postgres.run(`update channel_messages set state = 'queued', is_sending = 1 where direction = 'out'`, url);
  await first.host.close();
  await vi.waitFor(() => expect(bus.sent).toHaveLength(4), PATIENCE);
  const keys = bus.sent.map((sent) => sent.idempotency_key);
  expect(keys.slice(2)).toEqual(keys.slice(0, 2));
  expect(new Set(keys).size).toBe(2);
  expect(await textsIn(second)).toEqual(['/first_tool', '/first_tool']);
});

it('replies with an error to a command whose server stopped before it answered', async () => {
  const [first, second] = await two();
  bus.push({ text: '/first_tool' });
  await vi.waitFor(async () => expect(await textsIn(first)).toHaveLength(1), PATIENCE);
  await postgres.run('update channel_messages set awaits_reply = 1', url);
  await first.host.close();
  await vi.waitFor(() => expect(bus.sent).toHaveLength(1), PATIENCE);
  expect(bus.sent[0]).toMatchObject({
    text: expect.stringMatching(/^The server stopped before it answered/),
    metadata: { recipient: 'Ada' },
  });
  expect((await messages(second))[0]).toMatchObject({ direction: 'out', reply_to: (await messages(second))[1]?.id });
});
