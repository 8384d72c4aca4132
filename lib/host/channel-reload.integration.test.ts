import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import { busChannel, busChannelInPython, type MessageBus, startMessageBus } from '#lib/testing/message-bus.ts';

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
  vi.waitUntil(async () => (await channel())?.state === state, { timeout: 10_000 });

async function received(): Promise<Message[]> {
  const all: Message[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = must(await living.host.channels.messages('bus', { limit: 200, ...(cursor === undefined ? {} : { cursor }) }));
    all.push(...page.messages);
    cursor = page.next_cursor;
  }
  return all.filter(({ direction }) => direction === 'in').toReversed();
}

const FORMS = [
  ['TypeScript', 'channels/bus.ts', busChannel],
  ['Python', 'channels/bus.py', busChannelInPython],
] as const;

describe.each(FORMS)('a channel in %s', (_, file, write) => {
  it('loses and reorders nothing while it is saved again and again under traffic', async () => {
    living = await startHost({ [file]: write(bus.url) }, { prewarms: true });
    await until('connected');
    let pushed = 0;
    let isSaving = true;
    const traffic = (async () => {
      for (; isSaving; await wait(10)) bus.push({ text: String((pushed += 1)) });
    })();
    for (const revision of [2, 3]) {
      await living.save({ [file]: write(bus.url, `Talks to the bus, revision ${revision}.`) });
      await vi.waitUntil(async () => (await channel())?.description.includes(`revision ${revision}`), { timeout: 10_000 });
      await vi.waitUntil(() => bus.connects() === revision, { timeout: 15_000 });
    }
    isSaving = false;
    await traffic;
    await vi.waitUntil(async () => (await received()).at(-1)?.text === String(pushed), { timeout: 20_000 });
    const came = (await received()).map(({ text }) => Number(text));
    // Messages in transit to the old revision when it ended are delivered again.
    const each = came.filter((number, index) => number !== came[index - 1]);
    expect(each).toEqual(Array.from({ length: pushed }, (__, index) => index + 1));
    expect(came.length - each.length).toBeLessThanOrEqual(2);
    // The last message may arrive before the new revision reports that it is connected.
    await until('connected');
    expect(await channel()).toMatchObject({ dropped: 0 });
  });

  it('sends in order over a reload, each once', async () => {
    living = await startHost({ [file]: write(bus.url) }, { prewarms: true });
    await until('connected');
    const texts = Array.from({ length: 40 }, (__, index) => `message ${index}`);
    const sending = (async () => {
      for (const text of texts) must(await living.host.channels.send('bus', { text, recipient: 'Ada' }, NOBODY));
    })();
    await living.save({ [file]: write(bus.url, 'Another revision.') });
    await sending;
    await vi.waitUntil(() => bus.sent.length >= texts.length, { timeout: 15_000 });
    expect(bus.sent.map(({ text }) => text)).toEqual(texts);
    expect(bus.sent[0]).toMatchObject({ channel: 'bus', sender: 'Switchboard', metadata: { recipient: 'Ada' } });
    await vi.waitUntil(() => bus.connects() === 2, { timeout: 10_000 });
  });
});

it('is not affected when another extension is saved or reloaded', async () => {
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url), 'echo/extension.ts': oneTool('echo', 'one') });
  await until('connected');
  const before = living.extension('channels/bus')?.process.pid;
  await living.save({ 'echo/extension.ts': oneTool('echo', 'two') });
  await vi.waitUntil(() => living.extension('echo')?.serving_revision === 2, { timeout: 10_000 });
  const report = await living.reload();
  expect(report.channels).toEqual(['bus']);
  bus.push({ text: 'still here' });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
  expect(bus.connects()).toBe(1);
  expect(living.extension('channels/bus')?.process.pid).toBe(before);
});

it('continues with the last good revision when a save does not load, and shows it', async () => {
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url) }, { prewarms: true });
  await until('connected');
  await living.save({ 'channels/bus.ts': 'export function connect( {' });
  await vi.waitUntil(() => living.extension('channels/bus')?.state === 'degraded', { timeout: 10_000 });
  bus.push({ text: 'still here' });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
  expect(await channel()).toMatchObject({
    state: 'connected',
    reason: expect.stringMatching(/^Revision 2 failed to load, and revision 1 keeps serving: /),
  });
  expect(bus.connects()).toBe(1);
});

it('is listed as failed when it never loaded, and connects once it is fixed', async () => {
  living = await startHost({ 'channels/bus.ts': 'export function connect() {}' });
  expect(await channel()).toMatchObject({ state: 'failed', extension: 'channels/bus', reason: expect.stringContaining('recv') });
  await living.save({ 'channels/bus.ts': busChannel(bus.url) });
  await until('connected');
});

it('stops when it is disabled, connects when it is enabled, and leaves its messages when it is removed', async () => {
  living = await startHost({ 'channels/bus.ts': busChannel(bus.url) }, { prewarms: true });
  await until('connected');
  bus.push({ text: 'kept' });
  await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
  const { extensions, channels } = living.host;
  must(await extensions.disable('channels/bus', NOBODY));
  expect(await channel()).toMatchObject({ state: 'stopped', reason: expect.stringContaining('disabled') });
  expect(await channels.retry('bus', NOBODY)).toMatchObject({ problem: { code: 'state_conflict' } });
  expect(await channels.inject('bus', { text: 'x' }, NOBODY)).toMatchObject({ problem: { code: 'state_conflict' } });
  const queued = must(await channels.send('bus', { text: 'when it is back' }, NOBODY));
  expect(queued.state).toBe('queued');
  must(await extensions.enable('channels/bus', NOBODY));
  await vi.waitUntil(() => bus.sent.length === 1, { timeout: 10_000 });
  await living.save({ 'channels/bus.ts': null });
  await vi.waitUntil(async () => (await channel()) === undefined, { timeout: 10_000 });
  expect(await received()).toHaveLength(1);
  expect(await channels.get('bus')).toMatchObject({ problem: { code: 'channel_not_found' } });
});
