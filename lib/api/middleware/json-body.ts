import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from(`"\\[]{}`);

/**
 * Request body → a safe JSON value. What can go wrong:
 * - invalid UTF-8: replacing it would silently change data;
 * - invalid JSON;
 * - deep nesting, which may overflow stacks: checked before parsing, since a megabyte of brackets takes the parser tenths of a
 *   second;
 * - the key `__proto__`, which becomes a prototype in a careless copy.
 */
export function parseJsonBody(bytes: Buffer): Result<unknown> {
  if (!isUtf8(bytes)) return refuse('body_invalid', 'The body is not valid UTF-8. JSON is sent as UTF-8.');
  if (isDeeperThan(bytes, LIMITS.bodyDepth))
    return refuse('body_too_deep', `The body is nested more than ${LIMITS.bodyDepth} levels deep; ${LIMITS.bodyDepth} are accepted.`);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    return refuseText(text);
  }
  return checkValue(value);
}

/** Its depth is limited, so recursion is safe. */
function checkValue(value: unknown): Result<unknown> {
  // Parsed as Infinity, which would be written as null.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return refuse('body_invalid', 'The body has a number that is too large. Send it as text if the tool allows that.');
  if (typeof value !== 'object' || value === null) return ok(value);
  if (Object.hasOwn(value, '__proto__'))
    return refuse('body_key_forbidden', 'The body has a key `__proto__`, which is never accepted. Use another name.');
  for (const inner of Object.values(value)) {
    const checked = checkValue(inner);
    if (!checked.ok) return checked;
  }
  return ok(value);
}

/** Open brackets outside of strings. */
function isDeeperThan(bytes: Buffer, most: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > most) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** With V8's message without its excerpt of the body, and always with a position. */
function refuseText(text: string): Result<never> {
  const message = messageOf(text);
  const before = text.slice(0, faultOf(text, message)).split('\n');
  const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
  const words = message
    .replace(/, (?:\.\.\.)?".*" is not valid JSON$/s, '')
    .replace(/ after JSON at position .*$/s, ' after the JSON value')
    .replace(/(?: in JSON)? at position \d.*$/s, '');
  const isEmpty = text.trim() === '';
  const detail = isEmpty ? 'empty; a JSON object is expected.' : `not valid JSON: ${words} at line ${line}, column ${column}.`;
  return refuse('body_invalid', `The body is ${detail}`, { extra: { line, column } });
}

/** Index of the first character that cannot be part of the JSON. */
function faultOf(text: string, message: string): number {
  const stated = / at position (\d+)/.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  if (!message.startsWith('Unexpected token')) return text.length;
  let right = text.length;
  let wrong = 0;
  while (wrong + 1 < right) {
    const middle = (wrong + right) >> 1;
    if (messageOf(text.slice(0, middle)).startsWith('Unexpected token')) right = middle;
    else wrong = middle;
  }
  return right - 1;
}

/** Empty for valid JSON. */
function messageOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}
