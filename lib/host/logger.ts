import { format, stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import type { LogLevel } from '#lib/contract/call.ts';
import type { KnownSecrets } from '#lib/contract/known-secrets.ts';
import { isSecretMember } from '#lib/contract/secret-names.ts';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { escapeControl } from './escape-control.ts';

/**
 * The server's log for operators: pino, with additions. A line can contain text from an extension (a message, a file
 * name), which could forge further lines or control a terminal: one entry is always one line, and control characters,
 * including bidirectional marks, are escaped. Secret values passed at creation are redacted everywhere, as are fields
 * with the name of a secret at any depth.
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
  /** Plain lines instead of JSON. */
  readonly readable: boolean;
  readonly level?: LogLevel;
  /** Never written, not even inside other text; nor are values that look like a secret. */
  readonly secrets?: KnownSecrets;
  readonly now?: () => Date;
}

const HIDDEN = '[secret]';
const MOST_LINE_CHARACTERS = 16_384;
const MOST_ID_CHARACTERS = 512;

/** Writes one line per entry: JSON (`time`, `level`, `msg`, fields), or plain text for a terminal. */
export function createLogger(options: LoggerOptions): Logger {
  const now = options.now ?? (() => new Date());
  const hide = (text: string): string => hideSecretTexts(text, options.secrets ?? null, HIDDEN);

  const lines = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (level) => ({ level }), log: plainFields },
      hooks: { streamWrite: shorten },
    },
    {
      write(line) {
        const shown = options.readable ? cut(hide(readableLine(line))) : hide(line.trimEnd());
        // JSON has escaped everything below U+0020; the same escape for the rest keeps the value unchanged.
        options.write(`${escapeControl(shown)}\n`);
      },
    },
  );
  const write = (level: LogLevel, message: string, fields: LogFields = {}): void => {
    // Redacted first, because cutting could leave half of a secret.
    if (lines.isLevelEnabled(level)) lines[level](fields, cut(hide(message)));
  };
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

/** For a very long entry, the fields that identify it. */
function shorten(line: string): string {
  if (line.length <= MOST_LINE_CHARACTERS) return line;
  const { level, time, extension, call_id, msg } = JSON.parse(line) as LogFields;
  const ids = { extension, call_id };
  return JSON.stringify({ level, time, ...(JSON.stringify(ids).length < MOST_ID_CHARACTERS ? ids : {}), msg, cut: true });
}

function readableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as LogFields;
  const rest = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' && /^[\w./:@%+-]+$/.test(value) ? value : JSON.stringify(value)}`)
    .join('');
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${rest}`;
}

function cut(text: string): string {
  return text.length <= MOST_LINE_CHARACTERS / 2 ? text : `${text.slice(0, MOST_LINE_CHARACTERS / 2)}… (cut)`;
}

/** pino redacts by field paths; Switchboard by the end of a field's name, at any depth. */
function plainFields(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plainValue(key, value)]));
}

function plainValue(key: string, value: unknown): unknown {
  try {
    const shown = showValue(key, value);
    return typeof shown === 'object' && shown !== null ? JSON.parse(JSON.stringify(shown, showMember)) : shown;
  } catch {
    return '(not JSON)';
  }
}

function showMember(this: object, key: string, value: unknown): unknown {
  const own: unknown = Reflect.get(this, key);
  return showValue(key, typeof own === 'bigint' ? own : value);
}

function showValue(key: string, value: unknown): unknown {
  if (isHidden(key, value)) return HIDDEN;
  if (value instanceof Error) return showError(value);
  return typeof value === 'bigint' ? String(value) : value;
}

/** With its causes; without other properties, which may contain a call's arguments. */
function showError(error: Error): LogFields {
  // pino marks objects while it reads them, which fails for a frozen error.
  const { type, message, stack } = pino.stdSerializers.err(Object.create(error) as Error);
  return { name: type, message, stack };
}

/** The fact that a secret is set is not secret. */
function isHidden(key: string, value: unknown): boolean {
  return key !== '' && isSecretMember(key, value);
}

/**
 * Console output of the server's packages (mainly Next) becomes log entries: otherwise it would mix unescaped plain
 * lines into the JSON. Informational output is logged at level `debug`.
 */
const LEVELS = { log: 'debug', info: 'debug', debug: 'debug', trace: 'debug', warn: 'warn', error: 'error' } as const satisfies Readonly<
  Record<string, LogLevel>
>;

export function logConsole(logger: Logger, target: Partial<Record<keyof typeof LEVELS, unknown>> = console): void {
  for (const [name, level] of Object.entries(LEVELS))
    Reflect.set(target, name, (...values: unknown[]) => {
      const error = values.find((value) => value instanceof Error);
      const words = stripVTControlCharacters(format(...values.filter((value) => value !== error))).trim();
      if (error !== undefined) logger[level](words === '' ? 'A package of the server reported an error' : words, { error });
      else if (words !== '') logger[level](words);
    });
}
