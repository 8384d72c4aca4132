import { escapeUnseen } from '#components/ui/visible-text.ts';
import { NOT_EXACT, readInteger } from '#lib/contract/big-integers.ts';
import { WRITES_BIGINTS } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/** What is wrong with a JSON text, and where. `line` and `column` count from 1, `offset` from 0. */
export interface JsonProblem {
  readonly message: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export type JsonReading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

/*
 * A reader of its own rather than JSON.parse: browsers do not agree on saying where a text breaks, and none of them says
 * what would be right. It also refuses what JSON.parse swallows and what then is not what the person wrote: a key that
 * stands twice, a number that cannot be kept exactly, nesting that the server refuses.
 */
/** Objects and lists in each other that the arguments may be: those around them in the body count as well. */
const DEEPEST = LIMITS.bodyDepth - 1;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;
const WORD = /[A-Za-z_$][\w$]*/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class Wrong extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Reads a whole JSON text, which stands `within` so many objects and lists of the arguments. */
export function readJson(text: string, within = 0): JsonReading {
  let at = 0;

  function fail(message: string, offset = at): never {
    throw new Wrong(message, offset);
  }

  function skipSpace() {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
    if (text.startsWith('//', at) || text.startsWith('/*', at)) fail('JSON has no comments. Remove this one.');
  }

  function readValue(depth: number): unknown {
    skipSpace();
    const char = text.charAt(at);
    if ((char === '{' || char === '[') && depth >= DEEPEST)
      fail(`This is nested more than ${DEEPEST} levels deep, which the server refuses.`);
    if (char === '{') return readObject(depth);
    if (char === '[') return readArray(depth);
    if (char === '"') return readString();
    if (char === "'") fail('Text stands in double quotes: ".');
    if (char === '') fail('The text ends too early. A value is missing.');
    if (char === '-' || (char >= '0' && char <= '9')) return readNumber();
    if (char === ',' || char === ']' || char === '}') fail(`A value is missing before "${char}".`);
    return readWord();
  }

  function readObject(depth: number): Record<string, unknown> {
    const open = at;
    const found: Record<string, unknown> = {};
    at += 1;
    skipSpace();
    if (text.charAt(at) === '}') {
      at += 1;
      return found;
    }
    for (;;) {
      skipSpace();
      const start = at;
      if (text.charAt(at) === '}') fail('Remove the comma before "}".', text.lastIndexOf(',', at));
      if (text.charAt(at) === "'") fail('Names stand in double quotes: ".');
      if (text.charAt(at) === '') fail(`The "{" of line ${placeOf(text, open).line} is never closed. Add a "}".`);
      if (text.charAt(at) !== '"') fail('A name in double quotes is missing here, for example "city".');
      const key = readString();
      if (key === '__proto__') fail('The name "__proto__" is refused by the server.', start);
      if (Object.hasOwn(found, key)) fail(`"${key}" is there twice. Remove one of them.`, start);
      skipSpace();
      if (text.charAt(at) !== ':') fail(`A ":" is missing after "${key}".`);
      at += 1;
      found[key] = readValue(depth + 1);
      skipSpace();
      if (text.charAt(at) === '}') {
        at += 1;
        return found;
      }
      if (text.charAt(at) === '') fail(`The "{" of line ${placeOf(text, open).line} is never closed. Add a "}".`);
      if (text.charAt(at) !== ',') fail('A "," is missing before this.');
      at += 1;
    }
  }

  function readArray(depth: number): unknown[] {
    const open = at;
    const found: unknown[] = [];
    at += 1;
    skipSpace();
    if (text.charAt(at) === ']') {
      at += 1;
      return found;
    }
    for (;;) {
      skipSpace();
      if (text.charAt(at) === ']') fail('Remove the comma before "]".', text.lastIndexOf(',', at));
      if (text.charAt(at) === '') fail(`The "[" of line ${placeOf(text, open).line} is never closed. Add a "]".`);
      found.push(readValue(depth + 1));
      skipSpace();
      if (text.charAt(at) === ']') {
        at += 1;
        return found;
      }
      if (text.charAt(at) === '') fail(`The "[" of line ${placeOf(text, open).line} is never closed. Add a "]".`);
      if (text.charAt(at) !== ',') fail('A "," is missing before this.');
      at += 1;
    }
  }

  function readString(): string {
    const start = at;
    for (at += 1; ; at += 1) {
      const char = text.charAt(at);
      if (char === '') fail('This text is never closed. Add a ".', start);
      if (char === '"') break;
      if (char === '\n' || char === '\r') fail('A line break in a text is written \\n, or the closing " is missing.', start);
      if (char < ' ') fail('A control character in a text is written as \\u and four digits.');
      if (char === '\\') {
        at += 1;
        const escape = text.charAt(at);
        if (escape === 'u' ? !/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5)) : escape === '' || !'"\\/bfnrt'.includes(escape)) {
          fail('After a "\\" JSON knows only ", \\, /, b, f, n, r, t and u with four digits. A single backslash is written \\\\.', at - 1);
        }
      }
    }
    at += 1;
    const value: unknown = JSON.parse(text.slice(start, at));
    return typeof value === 'string' ? value : fail('This text cannot be read.', start);
  }

  function readNumber(): number | bigint {
    const start = at;
    NUMBER.lastIndex = at;
    const written = NUMBER.exec(text)?.[0];
    if (written === undefined) fail('This is not a number.');
    at += written.length;
    if (/[\w.]/.test(text.charAt(at))) fail('This is not a number as JSON writes it, for example 12 or -0.5.', start);
    const problem = numberProblem(written);
    if (problem !== null) fail(problem, start);
    return numberOf(written);
  }

  function readWord(): unknown {
    const start = at;
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) fail(`"${String.fromCodePoint(text.codePointAt(at) ?? 63)}" cannot stand here.`);
    at += word.length;
    if (WORDS.has(word)) return WORDS.get(word);
    const lower = word.toLowerCase();
    if (WORDS.has(lower)) fail(`JSON writes ${lower} in small letters.`, start);
    if (lower === 'none' || lower === 'undefined' || lower === 'nan')
      fail(`JSON has no ${word}. Write null, or leave the value out.`, start);
    return fail(`Put ${word} in double quotes if it is text.`, start);
  }

  try {
    const value = readValue(within);
    skipSpace();
    if (at < text.length) fail('The JSON is complete before this. Remove the rest.');
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Wrong)
      return { ok: false, problem: { message: error.message, offset: error.offset, ...placeOf(text, error.offset) } };
    throw error;
  }
}

/** The number that was written down. An integer that a double cannot hold is a bigint. */
export function numberOf(written: string): number | bigint {
  return WRITES_BIGINTS && INTEGER.test(written) ? readInteger(written) : Number(written);
}

/** Why a number that was written down cannot be sent as it stands; null when it can. */
export function numberProblem(written: string): string | null {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'This number is too large.';
  if (value === 0 && /^[^eE]*[1-9]/.test(written)) return 'This number is too small to be told from 0.';
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || (WRITES_BIGINTS && INTEGER.test(written))) return null;
  return decimalOf(written) === decimalOf(String(value)) ? null : NOT_EXACT;
}

/** The digits of a number and where its point stands, however it is written: 1200.0 and 1.2e3 are the same. */
function decimalOf(written: string): string {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const shown = digits.replace(/0+$/, '');
  return `${shown} ${Number(exponent) - fraction.length + digits.length - shown.length}`;
}

export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

/** JSON as people read it, in which every character is seen. */
export function writeJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, null, 2) ?? 'null');
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
