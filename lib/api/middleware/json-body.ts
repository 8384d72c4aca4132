import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

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
  } catch (error) {
    return refuse('body_invalid', describeJsonError(text, error), { extra: positionOf(faultOf(text, error), text) });
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

/** V8's message without its excerpt of the body, always with a position. */
function describeJsonError(text: string, error: unknown): string {
  if (text.trim() === '') return 'The body is empty; a JSON object is expected.';
  const message = error instanceof Error ? error.message : '';
  const words = message
    .replace(/ in JSON at position .*$/s, '')
    .replace(/, (?:\.\.\.)?".*" is not valid JSON$/s, '')
    .replace(/ after JSON at position .*$/s, ' after the JSON value')
    .replace(/ at position \d+ \(line.*$/s, '');
  const { line, column } = positionOf(faultOf(text, error), text);
  return `The body is not valid JSON: ${words} at line ${line}, column ${column}.`;
}

/** Index of the first character that cannot be part of the JSON. */
function faultOf(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : '';
  const stated = / at position (\d+)/.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  if (!message.startsWith('Unexpected token')) return text.length;
  let right = text.length;
  let wrong = 0;
  while (wrong + 1 < right) {
    const middle = (wrong + right) >> 1;
    if (failsWithToken(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  return right - 1;
}

function failsWithToken(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return false;
  } catch (error) {
    return error instanceof Error && error.message.startsWith('Unexpected token');
  }
}

function positionOf(index: number, text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: index - lineStart + 1 };
}
