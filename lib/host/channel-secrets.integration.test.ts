import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message } from '#lib/contract/channel.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';
import { busChannel, type MessageBus, startMessageBus } from '#lib/testing/message-bus.ts';

const NOBODY = { name: null };
const SECRET = 'hunter22-hunter22';

const LOGIN = `let calls = 0;
export const TOOL = {
  label: 'Test',
  name: 'login',
  description: 'Logs in.',
  parameters: { user: { type: 'string' }, password: { type: 'string' }, pin: { type: 'integer', writeOnly: true } },
  execute: ({ password = '', pin }) => ({ calls: (calls += 1), length: password.length, pin: pin + 1, token: password.split('').toReversed().join('') }),
};
`;

let bus: MessageBus;
let living: LivingHost;

beforeEach(async () => {
  bus = await startMessageBus();
});
afterEach(async () => {
  await living.remove();
  await bus.close();
});

const messagesOf = async (channel: string): Promise<Message[]> =>
  must(await living.host.channels.messages(channel, { limit: 200 })).messages.toReversed();
const replyTo = (message: Message): Promise<Message> =>
  vi.waitUntil(async () => (await messagesOf(message.channel)).find((each) => each.reply_to === message.id), { timeout: 20_000 });

async function say(text: string): Promise<{ readonly asked: Message; readonly reply: Message }> {
  const asked = must(await living.host.channels.inject('web', { text }, NOBODY));
  return { asked, reply: await replyTo(asked) };
}

async function kept(): Promise<string> {
  if (living.host.config.database !== null) {
    const tables = await living.rows("select tablename from pg_tables where schemaname = 'public'");
    return JSON.stringify(await Promise.all(tables.map(({ tablename }) => living.rows(`select * from "${String(tablename)}"`))));
  }
  const folder = path.join(living.folder, 'data');
  const names = (await readdir(folder)).filter((name) => /\.(db|sqlite)/.test(name));
  expect(names.length).toBeGreaterThan(0);
  return (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')))).join('');
}

describe('a command with a secret', () => {
  it('runs with it, and stores it nowhere: not in its message, its reply, its call or on disk', async () => {
    living = await startHost({ 'login/extension.ts': LOGIN });
    const { asked, reply } = await say(`/login user=ada password=${SECRET} pin=778899`);
    expect(asked.text).toBe('/login user=ada password=[redacted] pin=[redacted]');
    expect(JSON.parse(reply.text)).toEqual({ calls: 1, length: SECRET.length, pin: 778_900, token: '[redacted]' });
    const json = await say(`/login {"password": "${SECRET}", "pin": 778899}`);
    expect(json.asked.text).toBe('/login {"password":"[redacted]","pin":"[redacted]"}');
    const wrong = await say(`/login user=ada password=${SECRET} pin=778899 please`);
    expect([wrong.asked.text, wrong.reply.text]).toEqual(['/login [redacted]', expect.stringContaining('could not be read')]);
    const unfit = await say(`/login password=${SECRET} pin=${SECRET}`);
    expect(unfit.reply.text).toContain('pin must be a whole number, and what was given is not.');
    await living.host.close();
    const files = await kept();
    expect(files).toContain('user=ada');
    for (const secret of [SECRET, SECRET.split('').toReversed().join(''), '778899']) expect(files).not.toContain(secret);
  });

  it('is answered in full to its sender, and is not run again after a restart', async () => {
    living = await startHost({ 'login/extension.ts': LOGIN, 'channels/bus.ts': busChannel(bus.url) });
    must(await living.host.channels.configure('bus', { commands: { enabled: true, tools: ['login'] } }, NOBODY));
    bus.push({ text: `/login password=${SECRET} pin=778899`, sender: 'Ada' });
    await vi.waitUntil(() => bus.sent.length === 1, { timeout: 20_000 });
    expect(JSON.parse(bus.sent[0]?.text ?? '')).toMatchObject({ token: SECRET.split('').toReversed().join('') });
    await vi.waitUntil(async () => (await messagesOf('bus')).every(({ state }) => state !== 'queued'), { timeout: 20_000 });
    expect((await messagesOf('bus')).map(({ text }) => text)).toEqual([
      '/login password=[redacted] pin=[redacted]',
      expect.stringContaining('[redacted]'),
    ]);
    living = await living.restart();
    await vi.waitUntil(
      async () => (await living.host.channels.list()).channels.some(({ name, state }) => name === 'bus' && state === 'connected'),
      {
        timeout: 20_000,
      },
    );
    bus.push({ text: '/login password=another-one pin=1', sender: 'Ada' });
    await vi.waitUntil(() => bus.sent.length === 2, { timeout: 20_000 });
    expect(must(await living.host.calls.list({ limit: 50 })).calls).toHaveLength(2);
  });
});
