import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The part of the Telegram Bot API for a bot with long polling. As in Telegram, `offset` confirms and deletes updates. */
export interface TelegramServer {
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

export interface TelegramAnswer {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after: number };
}

export async function startTelegramServer(): Promise<TelegramServer> {
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
