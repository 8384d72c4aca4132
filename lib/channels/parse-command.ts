import { parseExactJson } from '#lib/contract/exact-json.ts';
/**
 * Parses a command: `/name` followed by nothing, a JSON object, or `key=value` pairs. Values with spaces are in double or
 * single quotes, where a backslash escapes the next character. Typographic quotes count too, because phones write them. Other
 * texts are not commands.
 */
export type ParsedCommand =
  | { readonly kind: 'text' }
  | { readonly kind: 'json'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'pairs'; readonly name: string; readonly pairs: readonly CommandPair[] }
  /** A name and words without `=`, which the command interprets. */
  | { readonly kind: 'words'; readonly name: string; readonly words: string }
  | { readonly kind: 'wrong'; readonly name: string; readonly message: string };

export interface CommandPair {
  readonly key: string;
  readonly value: string;
  readonly isQuoted: boolean;
}

const COMMAND = /^\/([A-Za-z][A-Za-z0-9_-]*)(?:\s+|(?=\{)|$)/;
const KEY = /^([A-Za-z_$][\w.$-]*)=/;
const SPACE = /\s/;
/** Typographic quotes, with those that close them. */
const CLOSING: Readonly<Record<string, string>> = { '“': '”“', '”': '”', '„': '“”', '‘': '’', '’': '’' };
const OPENING = /[{[“”„‘’]/;
/** Limits searches for the end of JSON or of a typographic quote: each failed one reads the rest of the text. */
const UNCLOSED_MOST = 8;

export function parseCommand(text: string): ParsedCommand {
  const trimmed = text.trim();
  const head = COMMAND.exec(trimmed);
  const name = head?.[1];
  if (head === null || name === undefined) return { kind: 'text' };
  const rest = trimmed.slice(head[0].length).trim();
  if (rest.startsWith('{')) return parseObject(name, rest);
  if (rest !== '' && !KEY.test(rest)) return { kind: 'words', name, words: rest };
  return parsePairs(name, rest);
}

function parseObject(name: string, text: string): ParsedCommand {
  try {
    const value = parseWrittenJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { kind: 'json', name, args: Object.fromEntries(Object.entries(value)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      kind: 'wrong',
      name,
      message: `The arguments are not JSON: ${why}. Write them as /${name} {"key": "value"} or as /${name} key=value.`,
    };
  }
  return { kind: 'wrong', name, message: `The arguments must be one JSON object: /${name} {"key": "value"}.` };
}

/** @throws when it is not JSON, even with straight quotes */
function parseWrittenJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    const straight = text.replace(/[“”„]/g, '"');
    if (straight === text) throw error;
    return parseExactJson(straight);
  }
}

function parsePairs(name: string, text: string): ParsedCommand {
  const pairs: CommandPair[] = [];
  let unclosed = 0;
  let at = 0;
  while (at < text.length) {
    if (SPACE.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const key = KEY.exec(text.slice(at))?.[1];
    if (key === undefined) return { kind: 'wrong', name, message: notAPair(name, text.slice(at), pairs.at(-1)) };
    const from = at + key.length + 1;
    const opens = unclosed < UNCLOSED_MOST && OPENING.test(text.charAt(from));
    const opened = opens ? readOpened(text, from) : null;
    if (opens && opened === null) unclosed += 1;
    const read = opened ?? readValue(text, from);
    if (read === null)
      return {
        kind: 'wrong',
        name,
        message: `The quotation mark that opens the value of ${key} is not closed. Close or remove it.`,
      };
    pairs.push({ key, value: read.value, isQuoted: read.isQuoted });
    at = read.end;
  }
  return { kind: 'pairs', name, pairs };
}

function notAPair(name: string, rest: string, before: CommandPair | undefined): string {
  const words = rest.split(/\s+/);
  const [word = ''] = words;
  const next = words.findIndex((one) => KEY.test(one));
  const more = words.slice(0, next === -1 ? words.length : next).join(' ');
  const quoted =
    before === undefined
      ? ''
      : ` If it belongs to ${before.key}, put the value in quotes: ${before.key}="${before.value} ${more.slice(0, 80)}".`;
  return `“${word.slice(0, 80)}” is not a key=value pair.${quoted} Arguments are written as /${name} key=value or /${name} {"key": "value"}.`;
}

interface ReadValue {
  readonly value: string;
  readonly isQuoted: boolean;
  readonly end: number;
}

/** JSON or a typographic quote; null if it is not closed, so that the mark is part of the value. */
function readOpened(text: string, from: number): ReadValue | null {
  const closing = CLOSING[text.charAt(from)];
  if (closing !== undefined) return readQuoted(text, from, closing);
  const end = endOfJson(text, from);
  return end === null ? null : { value: text.slice(from, end), isQuoted: false, end };
}

/** Null: an unclosed quote. */
function readValue(text: string, from: number): ReadValue | null {
  const quote = text.charAt(from);
  if (quote === '"' || quote === "'") return readQuoted(text, from, quote);
  let end = from;
  while (end < text.length && !SPACE.test(text.charAt(end))) end += 1;
  return { value: text.slice(from, end), isQuoted: false, end };
}

function readQuoted(text: string, from: number, closing: string): ReadValue | null {
  let value = '';
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (closing.includes(character)) return { value, isQuoted: true, end: at + 1 };
    if (character === '\\' && at + 1 < text.length) {
      at += 1;
      const next = text.charAt(at);
      value += next === 'n' ? '\n' : next === 't' ? '\t' : next;
    } else value += character;
  }
  return null;
}

/** End of the JSON that starts here, which may contain spaces; null if it is incomplete. */
function endOfJson(text: string, from: number): number | null {
  let depth = 0;
  let isInText = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}
