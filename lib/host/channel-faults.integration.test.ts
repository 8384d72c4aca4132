import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { busChannel, busChannelInPython, startMessageBus } from '#lib/testing/message-bus.ts';
import type { MessageBus } from '#lib/testing/message-bus.ts';

const NOBODY = { name: null };

let bus: MessageBus;
let living: LivingHost;

beforeEach(async () => {
  bus = await startMessageBus();
});
afterEach(async () => {
  await living.remove();
  await bus.close();
});

const channel = async (): Promise<Channel | undefined> => (await living.host.channels.list()).channels.find(({ name }) => name === 'bus');
const until = (state: Channel['state']): Promise<unknown> =>
  vi.waitUntil(async () => (await channel())?.state === state, { timeout: 30_000 });
const messages = async (): Promise<Message[]> => must(await living.host.channels.messages('bus', { limit: 200 })).messages.toReversed();
const received = async (): Promise<Message[]> => (await messages()).filter(({ direction }) => direction === 'in');
const find = async (id: string): Promise<Message | undefined> => (await messages()).find((message) => message.id === id);
const retry = async (): Promise<unknown> => must(await living.host.channels.retry('bus', NOBODY));
const send = async (text: string, recipient = 'Ada'): Promise<Message> =>
  must(await living.host.channels.send('bus', { text, recipient }, NOBODY));

async function allow(...tools: string[]): Promise<void> {
  must(await living.host.channels.configure('bus', { commands: { enabled: true, tools } }, NOBODY));
}

const FORMS = [
  ['TypeScript', 'channels/bus.ts', busChannel],
  ['Python', 'channels/bus.py', busChannelInPython],
] as const;

it.each([
  ['bus.ts', 'export function connect() {}\nexport async function* recv() { yield 1; }\nexport function send() {}\n'],
  ['bus.py', 'def connect(): ...\nasync def recv():\n    yield 1\ndef send(message): ...\n'],
])('explains that recv is a generator function in %s', async (name, text) => {
  living = await startHost({ [`channels/${name}`]: text });
  await until('retrying');
  expect((await channel())?.reason).toContain('`recv` is a generator function. Make it a function that waits for the next message');
});

describe.each(FORMS)('a channel in %s', (_, file, write) => {
  it('retries the connection, shows reason and time, and retries immediately on request', async () => {
    bus.fails.connect = true;
    living = await startHost({ [file]: write(bus.url) });
    await until('retrying');
    expect(await channel()).toMatchObject({ reason: expect.stringMatching(/^Connecting failed: .*503/), retry_at: expect.any(String) });
    const waits = await send('later');
    bus.fails.connect = false;
    await retry();
    await until('connected');
    expect(await channel()).toMatchObject({ reason: null, retry_at: null });
    await vi.waitUntil(async () => (await find(waits.id))?.state === 'sent', { timeout: 20_000 });
    expect((await find(waits.id))?.attempts).toBe(1);
  });

  it('connects again after recv has thrown', async () => {
    living = await startHost({ [file]: write(bus.url) });
    await until('connected');
    bus.fails.next = true;
    bus.push({ text: 'one' });
    await until('retrying');
    expect((await channel())?.reason).toMatch(/^Receiving failed: .*503/);
    bus.fails.next = false;
    bus.push({ text: 'two' });
    await retry();
    await vi.waitUntil(async () => (await received()).length === 2, { timeout: 20_000 });
    expect((await received()).map(({ text }) => text)).toEqual(['one', 'two']);
    expect(bus.connects()).toBe(2);
  });

  it('stores a dead letter after its attempts, and resends it on request; other messages are not delayed', async () => {
    living = await startHost({ [file]: write(bus.url) });
    await until('connected');
    bus.fails.send = true;
    const dead = await send('hello');
    for (let attempt = 1; attempt < LIMITS.messageAttempts; attempt += 1) {
      await vi.waitUntil(async () => (await find(dead.id))?.attempts === attempt && (await find(dead.id))?.error !== null, {
        timeout: 20_000,
      });
      await until('retrying');
      expect((await channel())?.reason).toMatch(/^Sending failed: /);
      await retry();
    }
    await vi.waitUntil(async () => (await find(dead.id))?.state === 'failed', { timeout: 20_000 });
    expect(await find(dead.id)).toMatchObject({ attempts: LIMITS.messageAttempts, error: expect.stringContaining('503'), text: 'hello' });
    expect(await channel()).toMatchObject({ state: 'connected', queued: 0, failed: 1 });
    bus.fails.send = false;
    const next = await send('next');
    await vi.waitUntil(async () => (await find(next.id))?.state === 'sent', { timeout: 20_000 });
    // It may be sent before the next read.
    expect(must(await living.host.channels.resend(dead.id, NOBODY))).toMatchObject({ id: dead.id, error: null });
    await vi.waitUntil(async () => (await find(dead.id))?.state === 'sent', { timeout: 20_000 });
    expect(refusal(await living.host.channels.resend(dead.id, NOBODY)).code).toBe('state_conflict');
    expect(bus.sent.map(({ text }) => text)).toEqual(['next', 'hello']);
  });

  it('answers commands: receive, call, reply, in the order of the commands', async () => {
    living = await startHost({ [file]: write(bus.url), 'tools/slow.ts': SLOW, 'wipe/extension.ts': WIPE });
    await until('connected');
    bus.push({ text: '/slow ms=1', metadata: { thread: 1 } });
    await vi.waitUntil(async () => (await received()).length === 1, { timeout: 20_000 });
    expect((await received())[0]?.call_id).toBeNull();
    await allow('*');
    bus.push({ text: '/slow ms=400 text=first', metadata: { thread: 2 } });
    bus.push({ text: '/slow {"ms": 1, "text": "second"}' });
    bus.push({ text: '/slow ms=soon' });
    bus.push({ text: '/wipe' });
    const answers = [
      'waited: first',
      'waited: second',
      expect.stringMatching(/^ms must be a number, and “soon” is not\./),
      expect.stringMatching(/^wipe cannot be called from this channel: it is destructive/),
    ];
    await vi.waitFor(() => expect(bus.sent.map(({ text }) => text)).toEqual(answers), { timeout: 20_000 });
    expect(bus.sent[0]).toMatchObject({ channel: 'bus', metadata: { thread: 2, recipient: 'Ada' } });
    await allow('wipe');
    bus.push({ text: '/wipe', sender: 'Bob' });
    await vi.waitUntil(() => bus.sent.length === 5, { timeout: 20_000 });
    expect(bus.sent[4]).toMatchObject({ text: 'wiped', metadata: { recipient: 'Bob' } });
    const [, first] = await received();
    expect(must(await living.host.calls.get(first?.call_id ?? ''))).toMatchObject({
      tool: 'slow',
      source: 'channel',
      actor: 'bus:Ada',
      status: 'succeeded',
    });
  });
});

it('reconnects when its process ends, and stops after the third time until restarted', async () => {
  const exits = `${busChannel(bus.url)}
setTimeout(() => process.exit(3), 300);
`;
  living = await startHost({ 'channels/bus.ts': exits });
  await vi.waitUntil(async () => (await channel())?.state === 'failed', { timeout: 30_000 });
  expect((await channel())?.reason).toContain('stopped too often');
  const connects = bus.connects();
  await living.save({ 'channels/bus.ts': busChannel(bus.url) });
  await until('connected');
  expect(bus.connects()).toBe(connects + 1);
});

it('can be restarted by a person after a crash loop', async () => {
  bus.fails.next = true;
  living = await startHost({
    'channels/bus.ts': busChannel(bus.url).replace(/throw new Error\('the bus gives.*\);/, 'process.exit(3);'),
  });
  await vi.waitUntil(async () => (await channel())?.state === 'failed', { timeout: 30_000 });
  await retry();
  await vi.waitUntil(async () => (await channel())?.state === 'failed', { timeout: 30_000 });
  bus.fails.next = false;
  must(await living.host.extensions.restart('channels/bus', NOBODY));
  await until('connected');
  bus.push({ text: 'back' });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 20_000 });
  expect((await channel())?.reason).toBeNull();
});

it('connects immediately when a person restarts it, whatever the backoff', async () => {
  bus.fails.connect = true;
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url) });
  const wait = async (): Promise<number> => Date.parse((await channel())?.retry_at ?? '') - Date.now();
  await vi.waitUntil(async () => (await wait()) > 3_500, { timeout: 30_000 });
  const waitsUntil = Date.now() + (await wait());
  bus.fails.connect = false;
  must(await living.host.extensions.restart('channels/bus', NOBODY));
  await until('connected');
  expect(Date.now()).toBeLessThan(waitsUntil);
});

it('reports an invalid message, and continues with the next', async () => {
  living = await startHost({
    'channels/bus.ts': busChannel(bus.url).replace(
      'return answer.json();',
      'const m = await answer.json(); return m.text === "bad" ? 42 : m;',
    ),
  });
  await until('connected');
  bus.push({ text: 'bad' });
  await vi.waitUntil(async () => (await channel())?.reason?.startsWith('recv returned an invalid message') === true, { timeout: 20_000 });
  expect((await channel())?.state).toBe('connected');
  bus.push({ text: 'good' });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 20_000 });
  expect((await channel())?.reason).toBeNull();
});

it('stores thousands of simultaneous messages in order', async () => {
  living = await startHost({ 'channels/bus.ts': FLOOD });
  const count = async (): Promise<number> => {
    let all = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = must(await living.host.channels.messages('bus', { limit: 200, ...(cursor === undefined ? {} : { cursor }) }));
      all += page.messages.length;
      cursor = page.next_cursor;
    }
    return all;
  };
  const newest = async (): Promise<string | undefined> => must(await living.host.channels.messages('bus', { limit: 1 })).messages[0]?.text;
  await vi.waitUntil(async () => (await newest()) === '2999', { timeout: 180_000, interval: 200 });
  expect(await count()).toBe(3_000);
  expect(await channel()).toMatchObject({ dropped: 0, state: 'connected' });
}, 240_000);

it('queues messages while it is down, up to the limit, and sends them after a restart of the host', async () => {
  bus.fails.connect = true;
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url) });
  await until('retrying');
  const ids = await Promise.all(Array.from({ length: LIMITS.messagesQueued }, (_, index) => send(String(index)).then(({ id }) => id)));
  expect(refusal(await living.host.channels.send('bus', { text: 'one too many' }, NOBODY))).toMatchObject({
    code: 'too_many_messages',
    retryAfter: 5,
  });
  expect((await channel())?.queued).toBe(LIMITS.messagesQueued);
  bus.fails.connect = false;
  living = await living.restart();
  await vi.waitFor(
    async () => expect({ sent: bus.sent.length, ...(await channel()) }).toMatchObject({ sent: ids.length, queued: 0, reason: null }),
    { timeout: 150_000, interval: 200 },
  );
  expect(bus.sent.map(({ text }) => text)).toEqual(ids.map((_, index) => String(index)));
});

it('follows a test message through receive, command, call and reply', async () => {
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url), 'echo/extension.ts': oneTool('echo', 'hi') });
  await until('connected');
  await allow('echo');
  const heard: string[] = [];
  living.host.events.subscribe(({ type, data }) => void heard.push(data.channel === undefined ? type : `${type} ${data.channel}`));
  const put = must(await living.host.channels.inject('bus', { text: '/echo text=test', sender: 'Eve', metadata: { thread: 9 } }, NOBODY));
  expect(put).toMatchObject({ injected: true, sender: 'Eve', direction: 'in' });
  await vi.waitUntil(() => bus.sent.length === 1, { timeout: 20_000 });
  expect(bus.sent[0]).toMatchObject({ metadata: { thread: 9, recipient: 'Eve' } });
  await vi.waitUntil(async () => (await messages()).some(({ state, reply_to: to }) => state === 'sent' && to === put.id), {
    timeout: 20_000,
  });
  await vi.waitUntil(() => heard.includes('message.sent bus'), { timeout: 20_000 });
  expect(heard.filter((event) => /^(message|call\.(started|finished))/.test(event))).toEqual([
    'message.received bus',
    'call.started',
    'call.finished',
    'message.sent bus',
  ]);
});

it('passes the latest inbound message of the recipient to a reply', async () => {
  const answering = busChannel(bus.url).replace(
    'send(message) {',
    'send(incoming, text) { const message = { text, sender: incoming.text, channel: incoming.channel, metadata: incoming.metadata };',
  );
  living = await startHost({ 'channels/bus.ts': answering });
  await until('connected');
  const early = await send('nobody asked');
  await vi.waitUntil(async () => (await find(early.id))?.state === 'failed', { timeout: 20_000 });
  expect((await find(early.id))?.error).toContain('can only answer');
  bus.push({ text: 'a question', metadata: { token: 'secret-of-the-thread' } });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 20_000 });
  expect((await received())[0]?.metadata).toEqual({ token: '[redacted]' });
  await send('an answer');
  await vi.waitUntil(() => bus.sent.length === 1, { timeout: 20_000 });
  expect(bus.sent[0]).toMatchObject({ text: 'an answer', sender: 'a question', metadata: { token: 'secret-of-the-thread' } });
});

const SLOW = `/** Waits, then answers.
 * @param ms How long */
export async function run(ms: number, text = ''): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return 'waited: ' + text;
}
`;

const WIPE = `export const TOOL = {
  label: 'Test', name: 'wipe', description: 'Wipes.', parameters: {}, annotations: { destructiveHint: true },
  async execute() { return 'wiped'; },
};
`;

const FLOOD = `/** Has three thousand messages at once. */
let next = 0;
export function connect() {}
export function recv() {
  if (next === 3000) return new Promise(() => {});
  return { text: String(next++), sender: 'flood', channel: 'bus' };
}
export function send() {}
`;
