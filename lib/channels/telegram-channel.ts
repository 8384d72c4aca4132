import type { Api } from 'grammy';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelClock } from './channel-timing.ts';

/**
 * Telegram by long polling, as a channel.
 *
 * What can go wrong:
 * - Telegram deletes updates confirmed by the next request: it is sent only after all earlier messages are stored;
 * - the host is killed in between: the newest stored message has the offset, so nothing arrives twice;
 * - Telegram limits the rate: wait;
 * - the token is wrong: no retries without an action;
 * - a long text is sent in parts and one fails: the retry continues with that part;
 * - every URL contains the token: network errors are never shown unchanged.
 */
export interface TelegramChannelOptions {
  readonly token: string;
  readonly apiRoot: string;
  readonly clock: ChannelClock;
  /** Metadata of the newest stored message, also from an earlier run. */
  newestKept(): Promise<Readonly<Record<string, unknown>> | null>;
}

export interface TelegramChannel extends RunningChannel {
  givenUp(): string | null;
}

type GrammySignal = NonNullable<Parameters<Api['getMe']>[0]>;
type Failed = Extract<ChannelOutcome<never>, { ok: false }>;

const POLL_S = 25;
const ANSWER_S = 20;
const PATIENCE_S = 30;

export function createTelegramChannel({ token, apiRoot, clock, newestKept }: TelegramChannelOptions): TelegramChannel {
  let released = new AbortController();
  let api: Api | null = null;
  let bot: { readonly id: number; readonly username: string } | null = null;
  let offset: number | null = null;
  const arrived: ChannelMessage[] = [];
  let hopeless: string | null = null;
  /** By chat: number of sent parts of a text. */
  const begun = new Map<string, { readonly text: string; readonly parts: number }>();

  /** A request that waits when Telegram limits the rate, up to a maximum. */
  async function ask<Value>(
    question: (signal: GrammySignal | undefined) => Promise<Value>,
    limitS: number,
  ): Promise<{ ok: true; value: Value } | TelegramRefusal> {
    for (let patience = PATIENCE_S; ;) {
      try {
        const signal = AbortSignal.any([released.signal, AbortSignal.timeout((limitS + 5) * 1_000)]);
        return { ok: true, value: await question(isGrammySignal(signal) ? signal : undefined) };
      } catch (error) {
        const refusal = readRefusal(error, token);
        if (refusal.kind !== 'later' || refusal.retryAfter > patience || released.signal.aborted) return refusal;
        patience -= refusal.retryAfter;
        await clock.wait(refusal.retryAfter * 1_000, released.signal);
      }
    }
  }

  function failed({ kind, message }: TelegramRefusal): Failed {
    if (released.signal.aborted) return { ok: false, reason: 'ended', message: 'The server is stopping.' };
    const reason = kind === 'permanent' ? 'invalid' : kind === 'doubtful' ? 'ended' : 'threw';
    return { ok: false, reason, message };
  }

  async function connect(): Promise<ChannelOutcome<void>> {
    hopeless = null;
    if (released.signal.aborted) {
      // Another instance may have received since.
      released = new AbortController();
      arrived.length = 0;
      offset = null;
    }
    if (api === null) {
      const grammy = await import('grammy');
      api = new grammy.Api(token, { apiRoot, timeoutSeconds: POLL_S + ANSWER_S });
    }
    const asked = api;
    const me = await ask((signal) => asked.getMe(signal), ANSWER_S);
    if (!('ok' in me)) {
      if (me.kind === 'token') hopeless = me.message;
      return failed(me);
    }
    if (offset === null || bot?.id !== me.value.id) offset = nextUpdate(await newestKept(), me.value.id);
    bot = { id: me.value.id, username: me.value.username };
    return DONE;
  }

  async function recv(): Promise<ChannelOutcome<ChannelMessage>> {
    for (;;) {
      const next = arrived.shift();
      if (next !== undefined) return { ok: true, value: next };
      if (api === null || bot === null) return { ok: false, reason: 'ended', message: 'Telegram is not connected.' };
      const asked = api;
      const from = offset;
      const updates = await ask(
        (signal) => asked.getUpdates({ timeout: POLL_S, allowed_updates: ['message'], ...(from === null ? {} : { offset: from }) }, signal),
        POLL_S,
      );
      if (!('ok' in updates)) return failed(updates.kind === 'permanent' ? { ...updates, kind: 'passing' } : updates);
      const { id, username } = bot;
      for (const { update_id: updateId, message } of updates.value) {
        offset = updateId + 1;
        const text = message?.text ?? message?.caption;
        if (message === undefined || text === undefined) continue;
        const { from: person, chat } = message;
        arrived.push({
          text: withoutBotName(text, username),
          sender: person?.username === undefined ? String(person?.id ?? chat.id) : `@${person.username}`,
          channel: 'telegram',
          metadata: { chat_id: chat.id, message_id: message.message_id, update_id: updateId, bot_id: id },
        });
      }
    }
  }

  async function send(message: ChannelMessage, answering: ChannelMessage | null): Promise<ChannelOutcome<void>> {
    if (api === null) return { ok: false, reason: 'threw', message: 'Telegram is not connected.' };
    const asked = api;
    const chat = chatOf(message, answering);
    if (chat === null)
      return {
        ok: false,
        reason: 'invalid',
        message: 'The chat is unknown. Set the recipient to a chat id or to someone who has written to the bot, or set metadata.chat_id.',
      };
    const parts = splitText(message.text);
    const key = String(chat);
    const earlier = begun.get(key);
    for (let at = earlier?.text === message.text ? earlier.parts : 0; at < parts.length; at += 1) {
      const part = parts[at] ?? '';
      const sent = await ask((signal) => asked.sendMessage(chat, part, {}, signal), ANSWER_S);
      if (!('ok' in sent)) {
        begun.set(key, { text: message.text, parts: at });
        return failed(sent);
      }
    }
    begun.delete(key);
    return DONE;
  }

  return {
    connect,
    recv,
    send,
    release: () => released.abort(),
    givenUp: () => hopeless,
  };
}

const DONE: ChannelOutcome<void> = { ok: true, value: undefined };

/** grammY declares the AbortSignal of a package; it accepts the platform's. */
function isGrammySignal(signal: unknown): signal is GrammySignal {
  return signal instanceof AbortSignal;
}

/** Offset: stored messages are not requested again, for the same bot. */
function nextUpdate(newest: Readonly<Record<string, unknown>> | null, botId: number): number | null {
  const id = newest?.['update_id'];
  return typeof id === 'number' && newest?.['bot_id'] === botId ? id + 1 : null;
}

/** In groups a command names its bot: `/tool@bot`. One for another bot is left unchanged and is not a command here. */
function withoutBotName(text: string, username: string): string {
  const named = /^\/([A-Za-z][A-Za-z0-9_-]*)@(\w+)/.exec(text);
  return named?.[2]?.toLowerCase() === username.toLowerCase() ? `/${named[1]}${text.slice(named[0].length)}` : text;
}

function chatOf({ metadata }: ChannelMessage, answering: ChannelMessage | null): number | string | null {
  for (const id of [metadata['chat_id'], answering?.metadata['chat_id']]) if (typeof id === 'number' || typeof id === 'string') return id;
  const { recipient } = metadata;
  return typeof recipient === 'string' && /^(?:-?\d{1,20}|@\w{1,64})$/.test(recipient) ? recipient : null;
}

const MOST = 4_096;

/** Splits a text for Telegram's limit, after a line or word in the last half if possible, never inside a character. */
export function splitText(text: string, most: number = MOST): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const head = rest.slice(0, most + 1);
    const line = head.lastIndexOf('\n');
    const word = head.lastIndexOf(' ');
    const at = line > most / 2 ? line : word > most / 2 ? word : -1;
    const isPair = at === -1 && /[\uD800-\uDBFF]/.test(rest.charAt(most - 1));
    const end = at === -1 ? most - (isPair ? 1 : 0) : at;
    parts.push(rest.slice(0, end));
    rest = rest.slice(at === -1 ? end : end + 1);
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts.filter((part) => part.trim() !== '' || parts.length === 1);
}

/** Error messages for Telegram's errors. They never contain the token, which is in every URL of its API. */
interface TelegramRefusal {
  /** `permanent`: retrying is useless; `doubtful`: it may have been done; `later`: wait for `retryAfter`. */
  readonly kind: 'permanent' | 'token' | 'later' | 'doubtful' | 'passing';
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number;
}

const NEVER_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'CERT_HAS_EXPIRED']);

function readRefusal(error: unknown, token: string): TelegramRefusal {
  const status = numberAt(error, 'error_code');
  if (status === null) return network(error, token);
  const said = scrub(textAt(error, 'description') ?? `error ${status}`, token);
  const refusal = (kind: TelegramRefusal['kind'], message: string, retryAfter = 0): TelegramRefusal => ({ kind, message, retryAfter });
  switch (status) {
    case 401:
    case 404:
      return refusal(
        'token',
        `Telegram does not know this bot (${said}). TELEGRAM_BOT_TOKEN is wrong or was revoked: get the current one from @BotFather and restart the server with it.`,
      );
    case 409:
      return refusal(
        'passing',
        /webhook/i.test(said)
          ? `Telegram sends this bot's messages to a webhook (${said}). Remove it (deleteWebhook) so that they can be received here.`
          : `Another program receives the messages of this bot (${said}). Stop it, or use another bot for this server.`,
      );
    case 429: {
      const seconds = numberAt(valueAt(error, 'parameters'), 'retry_after') ?? 1;
      return refusal('later', `Telegram limits the rate: wait ${seconds} s.`, seconds);
    }
    case 400:
    case 403:
      return refusal('permanent', `Telegram refused it: ${said}.`);
    default:
      return refusal(status >= 500 ? 'doubtful' : 'passing', `Telegram answered ${status}: ${said}.`);
  }
}

function network(error: unknown, token: string): TelegramRefusal {
  const cause = valueAt(error, 'error') ?? error;
  const code = textAt(cause, 'code') ?? textAt(valueAt(cause, 'cause'), 'code');
  const why = code ?? scrub(error instanceof Error ? error.message : String(error), token);
  const kind = code !== null && NEVER_REACHED.has(code) ? 'passing' : 'doubtful';
  return { kind, message: `Telegram could not be reached (${why}).`, retryAfter: 0 };
}

function scrub(text: string, token: string): string {
  return text.replaceAll(token, '…').trim().replace(/\.$/, '');
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textAt(value: unknown, key: string): string | null {
  const found = valueAt(value, key);
  return typeof found === 'string' ? found : null;
}

function numberAt(value: unknown, key: string): number | null {
  const found = valueAt(value, key);
  return typeof found === 'number' ? found : null;
}
