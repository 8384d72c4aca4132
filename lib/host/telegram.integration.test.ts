import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import type { HostConfig } from './config.ts';
import { must, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startTelegramServer } from '#lib/testing/telegram-server.ts';
import type { TelegramServer } from '#lib/testing/telegram-server.ts';

const NOBODY = { name: null };

let telegram: TelegramServer;
let living: LivingHost;

beforeEach(async () => {
  telegram = await startTelegramServer();
});
afterEach(async () => {
  await living.remove();
  await telegram.close();
});

const start = (files: Readonly<Record<string, string>> = {}, change: Partial<HostConfig> = {}): Promise<LivingHost> =>
  startHost(files, { telegramToken: telegram.token, telegramApiRoot: telegram.url, ...change });

const channel = async (): Promise<Channel | undefined> =>
  (await living.host.channels.list()).channels.find(({ name }) => name === 'telegram');
const until = (state: Channel['state']): Promise<unknown> =>
  vi.waitUntil(async () => (await channel())?.state === state, { timeout: 10_000 });
const messages = async (): Promise<Message[]> =>
  must(await living.host.channels.messages('telegram', { limit: 200 })).messages.toReversed();
const received = async (): Promise<Message[]> => (await messages()).filter(({ direction }) => direction === 'in');

async function allow(...tools: string[]): Promise<void> {
  must(await living.host.channels.configure('telegram', { commands: { enabled: true, tools } }, NOBODY));
}

it('does not exist without a token', async () => {
  living = await startHost();
  expect(await channel()).toBeUndefined();
});

describe('the channel telegram', () => {
  it('stores messages with their chat, and confirms them only then', async () => {
    living = await start();
    await until('connected');
    expect(await channel()).toMatchObject({ extension: 'core', commands: { enabled: false, tools: [] } });
    telegram.write('hello');
    telegram.write('/echo text=ignored', { id: 8, username: '', chat: -100 });
    await vi.waitUntil(async () => (await received()).length === 2, { timeout: 5_000 });
    expect(await received()).toMatchObject([
      { text: 'hello', sender: '@ada', state: 'received', metadata: { chat_id: 7, message_id: 101 } },
      { text: '/echo text=ignored', sender: '8', call_id: null, metadata: { chat_id: -100 } },
    ]);
    await vi.waitUntil(() => telegram.unconfirmed() === 0, { timeout: 5_000 });
    expect(telegram.sent).toEqual([]);
  });

  it('answers commands in their chat, also when they name this bot, and ignores those for other bots', async () => {
    living = await start({ 'echo/extension.ts': oneTool('echo', 'hi') });
    await until('connected');
    await allow('*');
    telegram.write(`/echo@${telegram.username} text=there`, { chat: -55 });
    telegram.write('/echo@another_bot text=not-for-us', { chat: -55 });
    telegram.write('/ecko');
    await vi.waitUntil(() => telegram.sent.length === 2, { timeout: 5_000 });
    expect(telegram.sent[0]?.chat_id).toBe(-55);
    expect(JSON.parse(telegram.sent[0]?.text ?? '')).toEqual({ answer: 'hi', text: 'there' });
    expect(telegram.sent[1]).toMatchObject({ chat_id: 7, text: expect.stringContaining('Did you mean /echo?') });
    const [first] = await received();
    expect(must(await living.host.calls.get(first?.call_id ?? ''))).toMatchObject({ source: 'channel', actor: 'telegram:@ada' });
  });

  it('sends long texts in parts, and continues with the failed part', async () => {
    living = await start();
    await until('connected');
    telegram.write('hello');
    await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    must(await living.host.channels.send('telegram', { text: lines.slice(0, 1).join('') }, NOBODY));
    telegram.refuse('sendMessage', null, { error_code: 502, description: 'Bad Gateway' });
    must(await living.host.channels.send('telegram', { text: lines.join('\n'), recipient: '@ada' }, NOBODY));
    await until('retrying');
    expect((await channel())?.reason).toBe('Sending failed: Telegram answered 502: Bad Gateway. It may have been sent all the same.');
    must(await living.host.channels.retry('telegram', NOBODY));
    await vi.waitUntil(() => telegram.sent.length >= 3, { timeout: 5_000 });
    expect(telegram.sent.every(({ chat_id: chat, text }) => chat === 7 && text.length <= 4_096)).toBe(true);
    expect(telegram.sent.map(({ text }) => text).join('\n')).toBe(lines.join('\n'));
    const nowhere = (await messages()).find(({ text }) => text === lines[0]);
    expect(nowhere).toMatchObject({ state: 'failed', attempts: 1, error: expect.stringContaining('The chat is unknown') });
  });

  it('waits as long as Telegram requests, and reports other errors as text', async () => {
    living = await start();
    await until('connected');
    telegram.refuse('sendMessage', { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } });
    must(await living.host.channels.send('telegram', { text: 'patience', recipient: '7' }, NOBODY));
    await vi.waitUntil(async () => (await messages())[0]?.state === 'sent', { timeout: 5_000 });
    expect(telegram.sent).toHaveLength(1);
    expect((await messages())[0]?.attempts).toBe(1);
    telegram.refuse('sendMessage', { error_code: 403, description: 'Forbidden: bot was blocked by the user' });
    must(await living.host.channels.send('telegram', { text: 'blocked', recipient: '7' }, NOBODY));
    await vi.waitUntil(async () => (await messages())[1]?.state === 'failed', { timeout: 5_000 });
    expect((await messages())[1]?.error).toContain('bot was blocked by the user');
    telegram.refuse('getUpdates', { error_code: 409, description: 'Conflict: terminated by other getUpdates request' });
    telegram.write('wakes the poll');
    await until('retrying');
    expect((await channel())?.reason).toContain('Another program receives the messages of this bot');
    expect((await channel())?.retry_at).not.toBeNull();
    must(await living.host.channels.retry('telegram', NOBODY));
    await until('connected');
    await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
  });

  it('stops with a wrong token until a retry is requested, and never shows the token', async () => {
    const wrong = '4242:wrong-token_0123456789';
    living = await start({ 'echo/extension.ts': ENVIRONMENT }, { telegramToken: wrong });
    await until('failed');
    expect((await channel())?.reason).toContain('TELEGRAM_BOT_TOKEN is wrong or was revoked');
    const asked = telegram.asked.length;
    must(await living.host.channels.retry('telegram', NOBODY));
    await vi.waitUntil(() => telegram.asked.length > asked, { timeout: 5_000 });
    await until('failed');
    await telegram.close();
    must(await living.host.channels.retry('telegram', NOBODY));
    await until('retrying');
    expect((await channel())?.reason).toMatch(/^Connecting failed: Telegram could not be reached \(ECONN\w+\)\.$/);
    const seen = JSON.stringify([living.log, await living.host.channels.list(), await messages(), await living.call('environment')]);
    expect(seen).not.toContain(wrong);
    expect(seen).not.toContain('never_visible');
    telegram = await startTelegramServer();
  });

  it('receives nothing twice after a restart, and sends queued messages', async () => {
    living = await start();
    await until('connected');
    telegram.write('one');
    await vi.waitUntil(async () => (await received()).length === 1, { timeout: 5_000 });
    telegram.refuse('sendMessage', { error_code: 500, description: 'Internal' });
    must(await living.host.channels.send('telegram', { text: 'waited', recipient: '@ada' }, NOBODY));
    await until('retrying');
    living = await living.restart();
    await vi.waitUntil(() => telegram.sent.length === 1, { timeout: 5_000 });
    expect(telegram.sent).toEqual([{ chat_id: 7, text: 'waited' }]);
    telegram.write('two');
    await vi.waitUntil(async () => (await received()).length === 2, { timeout: 5_000 });
    expect((await received()).map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

const ENVIRONMENT = `export const TOOL = {
  label: 'Test', name: 'environment', description: 'Shows its environment.', parameters: {},
  async execute() { return process.env; },
};
`;
