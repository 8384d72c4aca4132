import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '#lib/contract/channel.ts';
import { type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { HostConfig } from './config.ts';

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

/** The part of the Telegram Bot API for a bot with long polling. As in Telegram, `offset` confirms and deletes updates. */
interface TelegramServer {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  /** A person sends a message; returns the number of the update. */
  write(text: string, from?: { readonly id?: number; readonly username?: string; readonly chat?: number }): number;
  readonly sent: { readonly chat_id: unknown; readonly text: string }[];
  /** Requested methods, in order. */
  readonly asked: string[];
  /** Unconfirmed updates. */
  unconfirmed(): number;
  /** Error of the next requests of this method; null: none. */
  refuse(method: string, ...refusals: readonly (TelegramAnswer | null)[]): void;
  close(): Promise<void>;
}

interface TelegramAnswer {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after: number };
}

async function startTelegramServer(): Promise<TelegramServer> {
  const token = '4242:tests-own-token_0123456789';
  const username = 'switchboard_bot';
  let updates: { readonly update_id: number; readonly message: object }[] = [];
  let lastUpdate = 100;
  const polls = new Set<() => void>();
  const sent: TelegramServer['sent'] = [];
  const asked: string[] = [];
  const refusals = new Map<string, (TelegramAnswer | null)[]>();

  const wake = (): void => {
    for (const poll of polls) poll();
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
    const at = (key: string): unknown => (typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined);
    const [, bot, method = ''] = (request.url ?? '').split('/');
    asked.push(method);
    const respond = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const refused = bot === `bot${token}` ? refusals.get(method)?.shift() : { error_code: 401, description: 'Unauthorized' };
    if (refused != null) return respond(refused.error_code, { ok: false, ...refused });
    if (method === 'getMe') return respond(200, { ok: true, result: { id: 4242, is_bot: true, first_name: 'Switchboard', username } });
    if (method === 'sendMessage') {
      sent.push({ chat_id: at('chat_id'), text: String(at('text')) });
      return respond(200, { ok: true, result: { message_id: sent.length, date: 0, chat: { id: at('chat_id'), type: 'private' } } });
    }
    const offset = at('offset');
    if (typeof offset === 'number') updates = updates.filter(({ update_id: id }) => id >= offset);
    if (updates.length === 0) {
      await new Promise<void>((resolve) => {
        polls.add(resolve);
        response.on('close', resolve);
      });
      polls.clear();
    }
    respond(200, { ok: true, result: updates });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    username,
    write(text, { id = 7, username: name = 'ada', chat = 7 } = {}) {
      lastUpdate += 1;
      const from = { id, is_bot: false, first_name: 'Ada', ...(name === '' ? {} : { username: name }) };
      updates.push({
        update_id: lastUpdate,
        message: { message_id: lastUpdate, date: 0, chat: { id: chat, type: 'private' }, from, text },
      });
      wake();
      return lastUpdate;
    },
    sent,
    asked,
    unconfirmed: () => updates.length,
    refuse(method, ...answers) {
      refusals.set(method, [...(refusals.get(method) ?? []), ...answers]);
      wake();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
