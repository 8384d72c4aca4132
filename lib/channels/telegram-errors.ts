/** What Telegram's refusals mean, in words. None of them ever holds the token, which stands in every address of its API. */
export interface TelegramRefusal {
  /** `permanent`: the same again is of no use; `doubtful`: it may have been done all the same; `later`: `retryAfter` says when. */
  readonly kind: 'permanent' | 'token' | 'later' | 'doubtful' | 'passing';
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number;
}

const NEVER_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'CERT_HAS_EXPIRED']);

export function readRefusal(error: unknown, token: string): TelegramRefusal {
  const status = numberAt(error, 'error_code');
  if (status === null) return network(error, token);
  const said = scrub(textAt(error, 'description') ?? `error ${status}`, token);
  const refusal = (kind: TelegramRefusal['kind'], message: string, retryAfter = 0): TelegramRefusal => ({ kind, message, retryAfter });
  switch (status) {
    case 401:
    case 404:
      return refusal(
        'token',
        `Telegram does not know this bot (${said}). TELEGRAM_BOT_TOKEN is wrong or was revoked: take the present one from @BotFather and start the server with it.`,
      );
    case 409:
      return refusal(
        'passing',
        /webhook/i.test(said)
          ? `Telegram sends this bot's messages to a webhook (${said}). Remove it (deleteWebhook) so that they can be received here.`
          : `Another program receives the messages of this bot (${said}). Stop that one, or give this server a bot of its own.`,
      );
    case 429: {
      const seconds = numberAt(valueAt(error, 'parameters'), 'retry_after') ?? 1;
      return refusal('later', `Telegram asks to wait ${seconds} s, since too much was asked of it.`, seconds);
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
