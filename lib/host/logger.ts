import { LOG_LEVELS } from '#lib/contract/call.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { isSecretName } from '#lib/contract/secret-names.ts';
import { escapeControl } from './escape-control.ts';

/**
 * What the server says to whoever operates it. A line can carry text that an extension chose (a message, a file name), so
 * it could try to forge further lines or to steer a terminal: one entry is always one line, and control characters,
 * bidirectional marks included, leave here escaped. Values of secrets handed over at creation are replaced wherever they
 * occur, and so is what stands in a field that is named like one, however deep.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

export interface LoggerOptions {
  readonly write: (line: string) => void;
  /** Lines for people instead of JSON. */
  readonly readable: boolean;
  readonly level?: LogLevel;
  /** Never written, not even inside other text. */
  readonly secrets?: readonly string[];
  readonly now?: () => Date;
}

const HIDDEN = '[secret]';
const MOST_LINE_CHARACTERS = 16_384;
/** Shorter ones would blank out ordinary words; such a secret is still never passed to the logger on its own. */
const SHORTEST_SECRET = 4;

/** Writes one line per entry: JSON (`time`, `level`, `msg`, fields), or plain words for a terminal. */
export function createLogger(options: LoggerOptions): Logger {
  const least = LOG_LEVELS.indexOf(options.level ?? 'info');
  const now = options.now ?? (() => new Date());
  // As it is, and as it stands inside JSON.
  const secrets = (options.secrets ?? [])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);

  const write = (level: LogLevel, message: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const line = options.readable ? readableLine(now(), level, message, fields) : jsonLine(now(), level, message, fields);
    const safe = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
    options.write(`${safe}\n`);
  };

  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const line = stringify({ time: time.toISOString(), level, msg: cut(message), ...fields });
  const kept = line.length <= MOST_LINE_CHARACTERS ? line : stringify({ time: time.toISOString(), level, msg: cut(message), cut: true });
  // JSON.stringify has escaped what is below U+0020; the same escape for the rest leaves the value as it was.
  return escapeControl(kept);
}

function readableLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const clock = time.toISOString().slice(11, 19);
  const rest = Object.entries(fields)
    .map(([key, given]) => [key, isHidden(key, given) ? HIDDEN : given] as const)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' && /^[\w./:@%+-]+$/.test(value) ? value : stringify(value)}`)
    .join('');
  return escapeControl(cut(`${clock} ${level.padEnd(5)} ${message}${rest}`));
}

function cut(text: string): string {
  return text.length <= MOST_LINE_CHARACTERS / 2 ? text : `${text.slice(0, MOST_LINE_CHARACTERS / 2)}… (cut)`;
}

function stringify(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (key, inner: unknown) =>
        isHidden(key, inner)
          ? HIDDEN
          : inner instanceof Error
            ? { name: inner.name, message: inner.message, stack: inner.stack }
            : typeof inner === 'bigint'
              ? String(inner)
              : inner,
      ) ?? 'null'
    );
  } catch {
    return '"(not JSON)"';
  }
}

/** What is not said of a secret, such as that there is none, is no secret. */
function isHidden(key: string, value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean' && key !== '' && isSecretName(key);
}
