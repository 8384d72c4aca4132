import { printParseErrorCode, visit } from 'jsonc-parser';
import type { ParseErrorCode } from 'jsonc-parser';
import { escapeInvisible } from '#components/ui/visible-text.ts';
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
 * JSON.parse does not report positions in every browser. It also accepts values that would change in transit: duplicate keys,
 * numbers that cannot be represented exactly, nesting that the server rejects.
 */
/** The request body around the arguments counts as well. */
const MAX_DEPTH = LIMITS.bodyDepth - 1;
const INTEGER = /^-?\d+$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

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

class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** An object or a list that is being read. `key`: the name whose value comes next. */
interface Container {
  readonly offset: number;
  readonly value: Record<string, unknown> | unknown[];
  key: string;
}

type Expected = 'value' | 'name' | 'colon' | 'end';

/** `within`: nesting depth around the text. */
export function readJson(text: string, within = 0): JsonReading {
  const open: Container[] = [];
  let root: unknown;
  let expected: Expected = 'value';
  let opened = 0;

  function fail(message: string, offset: number): never {
    throw new JsonSyntaxError(message, offset);
  }

  function put(value: unknown) {
    const container = open.at(-1);
    if (container === undefined) root = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else container.value[container.key] = value;
  }

  function begin(offset: number, value: Record<string, unknown> | unknown[]) {
    if (within + open.length >= MAX_DEPTH) fail(`This is nested more than ${MAX_DEPTH} levels deep, which the server refuses.`, offset);
    put(value);
    open.push({ offset, value, key: '' });
    expected = Array.isArray(value) ? 'value' : 'name';
  }

  function end() {
    opened = open.pop()?.offset ?? 0;
    expected = 'end';
  }

  function failUnclosed(offset: number, at: number): never {
    const bracket = text.charAt(offset);
    return fail(`The "${bracket}" of line ${positionOf(text, offset).line} is never closed. Add a "${bracket === '{' ? '}' : ']'}".`, at);
  }

  function failAt(error: ParseErrorCode, at: number, length: number): never {
    const char = text.charAt(at);
    const token = text.slice(at, at + length);
    switch (printParseErrorCode(error)) {
      case 'InvalidCommentToken':
        return fail('JSON has no comments. Remove this one.', at);
      case 'UnexpectedEndOfString':
        return /[\r\n]/.test(text.charAt(at + length))
          ? fail('A line break in a text is written \\n, or the closing " is missing.', at)
          : fail('This text is never closed. Add a ".', at);
      case 'InvalidCharacter':
        return fail('A control character in a text is written as \\u and four digits.', at + token.search(/\p{Cc}/u));
      case 'InvalidUnicode':
      case 'InvalidEscapeCharacter':
        return fail(
          'After a "\\" JSON knows only ", \\, /, b, f, n, r, t and u with four digits. A single backslash is written \\\\.',
          at + (/(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/.exec(token)?.[0].length ?? 0),
        );
      case 'UnexpectedEndOfNumber':
        return fail('This is not a JSON number, such as 12 or -0.5.', at);
      case 'CloseBraceExpected':
      case 'CloseBracketExpected':
        return failUnclosed(opened, at);
      default:
        return failExpected(char, token, at);
    }
  }

  function failExpected(char: string, token: string, at: number): never {
    if (OTHER_SPACE.test(char)) fail(`An invisible character, ${spaceName(char)}, is here. Remove it or replace it with a space.`, at);
    const container = open.at(-1);
    switch (expected) {
      case 'colon':
        return fail(`A ":" is missing after "${container?.key}".`, at);
      case 'end':
        return fail(container === undefined ? 'The JSON ends before this. Remove the rest.' : 'A "," is missing before this.', at);
      case 'name':
        if (char === '}') fail('Remove the comma before "}".', text.lastIndexOf(',', at));
        if (char === '' && container !== undefined) failUnclosed(container.offset, at);
        return fail(char === "'" ? 'Put names in double quotes: ".' : 'A name in double quotes is missing here, for example "city".', at);
      case 'value':
        if (char === ']' && Array.isArray(container?.value)) fail('Remove the comma before "]".', text.lastIndexOf(',', at));
        if (char === '' && Array.isArray(container?.value)) failUnclosed(container.offset, at);
        if (char === '') fail('The text ends too early. A value is missing.', at);
        if (',]}'.includes(char)) fail(`A value is missing before "${char}".`, at);
        return failAtWord(token, at);
    }
  }

  function failAtWord(token: string, at: number): never {
    if (token.startsWith("'")) fail('Put text in double quotes: ".', at);
    const word = /^[A-Za-z_$][\w$]*/.exec(token)?.[0];
    if (word === undefined) return fail(`"${String.fromCodePoint(token.codePointAt(0) ?? 63)}" is not allowed here.`, at);
    const lower = word.toLowerCase();
    if (WORDS.has(lower)) fail(`Write ${lower} in lower case.`, at);
    if (lower === 'none' || lower === 'undefined' || lower === 'nan') fail(`JSON has no ${word}. Write null, or leave the value out.`, at);
    return fail(`Put ${word} in double quotes if it is text.`, at);
  }

  try {
    visit(
      text,
      {
        onObjectBegin: (offset) => begin(offset, {}),
        onObjectEnd: end,
        onArrayBegin: (offset) => begin(offset, []),
        onArrayEnd: end,
        onObjectProperty(key, offset) {
          const container = open.at(-1);
          if (key === '__proto__') fail('The name "__proto__" is refused by the server.', offset);
          if (container === undefined || Object.hasOwn(container.value, key)) fail(`"${key}" appears twice. Remove one of them.`, offset);
          container.key = key;
          expected = 'colon';
        },
        onSeparator(separator) {
          expected = separator === ',' && !Array.isArray(open.at(-1)?.value) ? 'name' : 'value';
        },
        onLiteralValue(value: unknown, offset, length) {
          expected = 'end';
          if (typeof value !== 'number') return put(value);
          const written = text.slice(offset, offset + length);
          const isLonger = /[\w.]/.test(text.charAt(offset + length));
          const problem = isLonger ? 'This is not a JSON number, such as 12 or -0.5.' : numberProblem(written);
          if (problem !== null) fail(problem, offset);
          return put(numberOf(written));
        },
        onError: failAt,
      },
      { disallowComments: true },
    );
    return { ok: true, value: root };
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      return { ok: false, problem: { message: error.message, offset: error.offset, ...positionOf(text, error.offset) } };
    throw error;
  }
}

/** An integer that a double cannot represent is a bigint. */
function numberOf(written: string): number | bigint {
  return WRITES_BIGINTS && INTEGER.test(written) ? readInteger(written) : Number(written);
}

function numberProblem(written: string): string | null {
  const value = Number(written);
  if (!Number.isFinite(value)) return 'This number is too large.';
  if (value === 0 && /^[^eE]*[1-9]/.test(written)) return 'This number is too small: it would be sent as 0.';
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

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

export function writeJson(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, null, 2) ?? 'null');
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
