import { inspect, types } from 'node:util';

/**
 * Errors behind an error: its causes, and the errors in an AggregateError or a SuppressedError. A cause can be any value, even the
 * error itself, and every field may throw; so each is read once, and few are reported, one line each.
 */
const REPORT_LIMIT = 3;
const LOOKED_AT_MOST = 100;
const LINE_CHARACTERS = 300;

/** The message, and a line for each inner error that it does not contain. */
export function withInnerErrors(message: string, thrown: unknown): string {
  const lines: string[] = [];
  let omitted = 0;
  const isReported = (line: string): boolean => line === '' || [message, ...lines].some((known) => containsWords(known, line));
  const seen = new Set<unknown>([thrown]);
  const waiting = innerOf(thrown);
  for (let looked = 0; looked < LOOKED_AT_MOST; looked += 1) {
    const next = waiting.shift();
    if (next === undefined) break;
    if (seen.has(next.error)) continue;
    seen.add(next.error);
    waiting.unshift(...innerOf(next.error));
    const line = lineOf(next.error);
    if (isReported(line)) continue;
    if (lines.length < REPORT_LIMIT) lines.push(`${next.word}${line}`);
    else omitted += 1;
  }
  if (omitted > 0) lines.push(`and ${omitted} more`);
  return [message, ...lines].join('\n');
}

/** Not as a part of a word: a cause “a” is not in “again”, and “mirror 1” is not in “mirror 10”. */
function containsWords(text: string, words: string): boolean {
  const isInWord = (at: number): boolean => /[\p{L}\p{N}_]{2}/u.test(text.slice(Math.max(0, at - 1), at + 1));
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (!isInWord(at) && !isInWord(at + words.length)) return true;
  return false;
}

interface Inner {
  readonly word: 'Caused by: ' | '- ';
  readonly error: unknown;
}

function innerOf(thrown: unknown): Inner[] {
  const held = readField(thrown, 'errors');
  const grouped = [...suppressedIn(thrown), ...(isList(held) ? held.slice(0, LOOKED_AT_MOST).filter(isError) : [])];
  const cause = readField(thrown, 'cause');
  const hasCause = isError(cause) || (typeof cause === 'string' && cause !== '');
  return [...grouped.map((error): Inner => ({ word: '- ', error })), ...(hasCause ? [{ word: 'Caused by: ', error: cause } as const] : [])];
}

/** First the original error, then errors of disposals, in this order. */
function suppressedIn(thrown: unknown): readonly unknown[] {
  const later: unknown[] = [];
  let first = thrown;
  while (later.length < LOOKED_AT_MOST && readField(first, 'name') === 'SuppressedError') {
    later.unshift(readField(first, 'error'));
    first = readField(first, 'suppressed');
  }
  return later.length === 0 ? [] : [first, ...later];
}

function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function lineOf(error: unknown): string {
  const message = messageOf(error);
  const [first = ''] = message
    .slice(0, 4 * LINE_CHARACTERS)
    .trim()
    .split(/\r?\n/, 1);
  const name = readField(error, 'name');
  const named = typeof name === 'string' && !['', 'Error'].includes(name) && !first.startsWith(name) ? `${name}: ${first}` : first;
  return named.length > LINE_CHARACTERS ? `${named.slice(0, LINE_CHARACTERS).toWellFormed()} …` : named;
}

/** A field of an untrusted value; undefined if it is missing or unreadable. */
export function readField(thrown: unknown, field: string): unknown {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  try {
    return Reflect.get(thrown, field);
  } catch {
    return undefined;
  }
}

export function messageOf(thrown: unknown): string {
  if (thrown === null || thrown === undefined)
    return `${String(thrown)} was thrown; throw an Error with a message that says what was wrong`;
  if (typeof thrown === 'string') return thrown === '' ? 'an empty text was thrown; throw an Error with a message' : thrown;
  const message = readField(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const name = readField(thrown, 'name');
  if (typeof name === 'string' && name !== '') return `${name} (without a message)`;
  try {
    return `a value that is not an error was thrown: ${inspect(withoutStacks(thrown, SHOWN_DEPTH), { depth: SHOWN_DEPTH, breakLength: Number.POSITIVE_INFINITY })}`;
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}

const SHOWN_DEPTH = 3;
/** As many as `inspect` shows of a list. */
const ITEMS_SHOWN = 100;

/** Errors inside lists and plain objects become `[Error: message]`: a stack names files of the server. */
function withoutStacks(value: unknown, depth: number): unknown {
  if (types.isNativeError(value)) return { [inspect.custom]: () => `[${lineOf(value)}]` };
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) {
    const shown = value.slice(0, ITEMS_SHOWN).map((item) => withoutStacks(item, depth - 1));
    return value.length > ITEMS_SHOWN ? [...shown, `… ${value.length - ITEMS_SHOWN} more items`] : shown;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutStacks(item, depth - 1)]));
}
