import { escapeUnseen } from '#components/ui/visible-text.ts';
import { NOT_EXACT, readInteger } from '#lib/contract/big-integers.ts';
import { WRITES_BIGINTS } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/** `line` and `column` from 1, `offset` from 0. */
export interface JsonProblem {
  readonly message: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

type JsonReading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: JsonProblem };

/*
 * A reader of its own rather than JSON.parse: browsers do not agree on saying where a text breaks, and none of them says
 * what would be right. It also refuses what JSON.parse swallows and what then is not what the person wrote: a key that
 * stands twice, a number that cannot be kept exactly, nesting that the server refuses.
 */
/** The request body around the arguments counts as well. */
const DEEPEST = LIMITS.bodyDepth - 1;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const INTEGER = /^-?\d+$/;
const WORD = /[A-Za-z_$][\w$]*/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Looks like space but is not JSON whitespace; comes with text copied from web pages, chats or files with a byte order mark. */
const OTHER_SPACE = /[\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]/;
const TEXT_OR_OTHER_SPACE = new RegExp(String.raw`"(?:[^"\\]|\\.)*"|${OTHER_SPACE.source}`, 'gsu');

function spaceName(char: string): string {
  if (char === '\ufeff') return 'a byte order mark';
  if (char === '\u00a0') return 'a no-break space';
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** All positions stay the same. */
export function withPlainSpaces(text: string): string {
  return OTHER_SPACE.test(text) ? text.replaceAll(TEXT_OR_OTHER_SPACE, (found) => (found.startsWith('"') ? found : ' ')) : text;
}

class Wrong extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** `within`: nesting depth around the text. */
export function readJson(text: string, within = 0): JsonReading {
  let at = 0;

  function fail(message: string, offset = at): never {
    throw new Wrong(message, offset);
  }

  function skipSpace() {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
    if (text.startsWith('//', at) || text.startsWith('/*', at)) fail('JSON has no comments. Remove this one.');
    if (OTHER_SPACE.test(text.charAt(at)))
      fail(`An invisible character, ${spaceName(text.charAt(at))}, stands here. Remove it, or put a plain space in its place.`);
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

/** An integer that a double cannot represent is a bigint. */
function numberOf(written: string): number | bigint {
  return WRITES_BIGINTS && INTEGER.test(written) ? readInteger(written) : Number(written);
}

/** Why a number cannot be sent as written; null if it can. */
function numberProblem(written: string): string | null {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'This number is too large.';
  if (value === 0 && /^[^eE]*[1-9]/.test(written)) return 'This number is too small to be told from 0.';
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || (WRITES_BIGINTS && INTEGER.test(written))) return null;
  return decimalOf(written) === decimalOf(String(value)) ? null : NOT_EXACT;
}

/** Digits and exponent, so that 1200.0 equals 1.2e3. */
function decimalOf(written: string): string {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const shown = digits.replace(/0+$/, '');
  return `${shown} ${Number(exponent) - fraction.length + digits.length - shown.length}`;
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

export function writeJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, null, 2) ?? 'null');
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Key order does not matter. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}

/** `value` is undefined for empty or invalid text. */
interface NumberReading {
  readonly value: number | bigint | undefined;
  readonly problem: string | null;
}

const TYPED_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function readNumber(text: string): NumberReading {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined, problem: null };
  if (!TYPED_NUMBER.test(trimmed)) {
    return { value: undefined, problem: problemOf(trimmed) };
  }
  const written = trimmed.replace(/^\+/, '');
  const problem = numberProblem(written);
  return problem === null ? { value: numberOf(written), problem } : { value: undefined, problem };
}

/** Thousands separators: 1,000  1.234.567,8  12 000  1'000.5 */
const GROUPED = /^([+-]?)(\d{1,3})(?:([,.'’_\s])\d{3})(?:\3\d{3})*(?:([.,])\d+)?$/;

/** "1,000" is ambiguous: the message says how it was read. */
function problemOf(text: string): string {
  const pointed = text.replace(',', '.');
  const [, , first, separator, point] = GROUPED.exec(text) ?? [];
  if (separator !== undefined && separator !== point && first !== '0') {
    const plain = text.replaceAll(separator, '').replace(',', '.').replace(/^\+/, '');
    const hint = separator === ',' && point === undefined ? ' Decimals follow a point.' : '';
    return `Write the number without separators: ${plain}.${hint}`;
  }
  if (text.includes(',') && TYPED_NUMBER.test(pointed)) return `Write the number with a point: ${pointed}`;
  return `"${text.slice(0, 40)}" is not a number.`;
}

/** Without binary rounding noise: 0.1 + 0.2 is 0.3. */
export function stepped(from: number | bigint, by: number): number | bigint {
  if (typeof from === 'bigint') return Number.isInteger(by) ? from + BigInt(by) : stepped(Number(from), by);
  const sum = from + by;
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(12));
}
