import type { KnownSecrets, TextRange } from './known-secrets.ts';
import { isDescribing, isPlaceholder, looksRandom, VALUE_MOST } from './likely-secrets.ts';
import { isSecretName, REDACTED } from './secret-names.ts';

/**
 * Finds secrets in text: values after the name of a secret (`password=…`, `"api_key": "…"`, `--token …`), credentials in headers
 * and URLs, PEM private keys, known token formats, and known secret values.
 * What can go wrong: hostile text of megabytes (every part is read a limited number of times); prose about secrets ("Token: a
 * unit of text"), where a bare word counts only if it looks random; code with variable names (`token=self.token`,
 * `password: str`); text truncated inside a value.
 */
export function hideSecretTexts(text: string, known: KnownSecrets | null = null, instead: string = REDACTED): string {
  const ranges = secretRanges(text, known);
  if (ranges.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { start, end } of ranges) {
    shown += `${text.slice(at, start)}${instead}`;
    at = end;
  }
  return shown + text.slice(at);
}

export function holdsSecretText(text: string, known: KnownSecrets | null = null): boolean {
  return secretRanges(text, known).length > 0;
}

/** Secrets in the text, raw and decoded; except those equal to the user name of their URL. */
export function secretTextsIn(text: string, known: KnownSecrets | null = null): readonly string[] {
  const found = secretRanges(text, known).flatMap(({ start, end }) => {
    const value = text.slice(start, end);
    return text[end] === '@' && text.slice(0, start).endsWith(`/${value}:`) ? [] : [value, decoded(value)];
  });
  return [...new Set(found)];
}

/** Sorted, without overlaps. */
export function secretRanges(text: string, known: KnownSecrets | null = null): readonly TextRange[] {
  const found: TextRange[] = known === null ? [] : [...known.rangesIn(text)];
  findShapes(text, found);
  findKeys(text, found);
  findPairs(text, found);
  findFlags(text, found);
  return found.length < 2 ? found : merged(found);
}

function merged(found: readonly TextRange[]): readonly TextRange[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start >= last.end) all.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return all;
}

/** Each has a distinctive prefix and a body of one character class. */
const SHAPES = [
  'sk-[\\w-]{16,}',
  '[sr]k_(?:live|test)_\\w{10,}',
  'gh[opsru]_\\w{16,}',
  'github_pat_\\w{20,}',
  'glpat-[\\w-]{16,}',
  'A(?:KIA|SIA)[A-Z0-9]{12,}',
  'AIza[\\w-]{30,}',
  'xox[a-z]-[\\w-]{10,}',
  'xapp-[\\w-]{20,}',
  'eyJ[\\w-]{8,}\\.[\\w-]{4,}(?:\\.[\\w-]*)?',
  'ya29\\.[\\w.-]{16,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  'npm_\\w{30,}',
  'pypi-[\\w-]{40,}',
  'hf_\\w{20,}',
  'hv[sb]\\.[\\w-]{20,}',
  'do[oprt]_v1_\\w{32,}',
  'dapi[a-f0-9]{32}',
  'shp(?:at|ca|pa|ss)_\\w{16,}',
  'whsec_[\\w+/=]{16,}',
  'lin_api_\\w{20,}',
  'sq0[a-z]{3}-[\\w-]{20,}',
  'sw[bcor]_\\w{20,}',
  'GOCSPX-[\\w-]{16,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  'hooks\\.slack\\.com/services/[\\w/]{10,}',
  '(?:[Bb]earer|BEARER)[ \\t]{1,16}[\\w.~+/-]{8,}=*',
];
const SHAPE = new RegExp(`\\b(?:${SHAPES.join('|')})`, 'g');

function findShapes(text: string, into: TextRange[]): void {
  SHAPE.lastIndex = 0;
  for (let found = SHAPE.exec(text); found !== null; found = SHAPE.exec(text)) {
    const [shape] = found;
    const start = found.index;
    const end = start + shape.length;
    const bearer = /^bearer[ \t]+/i.exec(shape)?.[0].length ?? 0;
    // Hyphenated words have neither digits nor capitals.
    const isSecret = bearer === 0 ? /[0-9A-Z]/.test(shape.slice(3)) : looksRandom(shape.slice(bearer), 8);
    if (isSecret) into.push({ start: start + bearer, end: shape.endsWith('.') ? end - 1 : end });
  }
}

const PEM_BEGIN = '-----BEGIN ';
const PEM_END = '-----END ';
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----/y;

/** The body of a private key, possibly truncated. */
function findKeys(text: string, into: TextRange[]): void {
  for (let at = text.indexOf(PEM_BEGIN); at !== -1; at = text.indexOf(PEM_BEGIN, at + 1)) {
    PRIVATE_KEY.lastIndex = at;
    if (!PRIVATE_KEY.test(text)) continue;
    const start = PRIVATE_KEY.lastIndex;
    const close = text.indexOf(PEM_END, start);
    at = close === -1 ? text.length : close;
    if (at > start) into.push({ start, end: at });
  }
}

/** Maximum length of a name before a separator. */
const NAME_MOST = 64;
const SPACES_MOST = 16;
const NAMES_REMEMBERED = 2_000;
let knownNames = new Map<string, boolean>();

/** Last letters of secret names, singular: a fast pre-check. */
const LAST_FOUR = new Set(
  ['word', 'sswd', 'rase', 'code', 'oken', 'cret', 'tial', 'okie', 'arer', 'tion', 'ring'].map((end) => packed(end, 4)),
);
const TION = packed('tion', 4);
const LAST_THREE = new Set(['key', 'pwd', 'dsn', 'ass', 'sig', 'ure'].map((end) => packed(end, 3)));

const COLON = 58;
const EQUALS = 61;
const BACKSLASH = 92;

function findPairs(text: string, into: TextRange[]): void {
  let colon = text.indexOf(':');
  let equals = text.indexOf('=');
  let from = 0;
  const stops = stopsOf(text);
  while (colon !== -1 || equals !== -1) {
    const isColon = colon !== -1 && (equals === -1 || colon < equals);
    const at = isColon ? colon : equals;
    const range = isColon ? (colonRange(text, at, from) ?? pairAt(text, at, from, stops)) : pairAt(text, at, from, stops);
    if (range !== null && range.end > range.start) into.push(range);
    from = Math.max(at + 1, range?.end ?? 0);
    if (colon !== -1 && colon < from) colon = text.indexOf(':', from);
    if (equals !== -1 && equals < from) equals = text.indexOf('=', from);
  }
}

/** Secrets after a colon: URL credentials, and bot tokens after a number. */
function colonRange(text: string, at: number, from: number): TextRange | null {
  const next = text.charCodeAt(at + 1);
  if (next === 47 || next === BACKSLASH) return urlPassword(text, at);
  if (next === 65 && isDigit(text.charCodeAt(at - 1)) && at - 8 >= from) {
    BOT_TOKEN.lastIndex = at + 1;
    const found = BOT_TOKEN.exec(text);
    if (found !== null) return { start: at + 1, end: at + 1 + found[0].length };
  }
  return null;
}

const BOT_TOKEN = /AA[\w-]{30,}/y;
const AUTHORITY = /\\?\/\\?\/([^\s/?#"'`<>\\]*)/y;

function urlPassword(text: string, at: number): TextRange | null {
  if (!isWordCode(text.charCodeAt(at - 1))) return null;
  AUTHORITY.lastIndex = at + 1;
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return null;
  const after = AUTHORITY.lastIndex;
  const start = after - authority.length;
  const end = authority.lastIndexOf('@');
  const colon = authority.indexOf(':');
  const nothing = { start: after, end: after };
  if (end === -1) return { start, end: start };
  const user = authority.slice(0, colon === -1 ? end : colon);
  if (user.includes('@')) return nothing;
  if (colon === -1) return looksRandom(user, 20) ? { start, end: start + end } : nothing;
  return colon + 1 === end || authority.slice(colon + 1, end) === REDACTED ? nothing : { start: start + colon + 1, end: start + end };
}

interface PairName {
  readonly name: string;
  readonly start: number;
  readonly isQuoted: boolean;
  /** White space precedes the separator. */
  readonly isApart: boolean;
}

/** The secret after a separator, if a secret name precedes it. */
function pairAt(text: string, at: number, from: number, stops: Stops): TextRange | null {
  const before = nameBefore(text, at, from);
  if (before === null) return null;
  const isEquals = text.charCodeAt(at) === EQUALS;
  let start = at + 1;
  const second = text.charCodeAt(start);
  if (second === EQUALS || (!isEquals && second === COLON)) {
    // A comparison or a path; but `:=` gives a value.
    if (isEquals || second === COLON) return null;
    start += 1;
  } else if (isEquals && second === 62) start += 1;
  const tight = start;
  while (start - tight < SPACES_MOST && isBlank(text.charCodeAt(start))) start += 1;
  const kind = kindOf(before.name);
  if (kind === 'header') {
    const header = headerRange(text, start);
    if (header !== null) return header;
  }
  const quoted = quotedRange(text, start, before, kind, stops);
  if (quoted !== null) return quoted;
  if (before.isQuoted) {
    const nested = nestedRange(text, start);
    if (nested !== null) return nested;
  }
  return bareRange(text, start, { ...before, kind, stops, isTight: isEquals && start === tight && !before.isApart });
}

function nameBefore(text: string, at: number, from: number): PairName | null {
  let end = at;
  const least = Math.max(from, at - SPACES_MOST);
  // `=` after one of these compares; `:=` has its colon looked at on its own.
  while (end > least && isBlank(text.charCodeAt(end - 1))) end -= 1;
  const isApart = end !== at;
  if (end > from && text.charCodeAt(end - 1) === 93) end -= 1;
  const isQuoted = end > from && isQuote(text.charCodeAt(end - 1));
  if (isQuoted) {
    end -= 1;
    while (end > from && text.charCodeAt(end - 1) === BACKSLASH) end -= 1;
  }
  let last = end;
  while (last > from && isDigit(text.charCodeAt(last - 1))) last -= 1;
  if (!mayEndName(text, last) && !((text.charCodeAt(last - 1) | 32) === 115 && mayEndName(text, last - 1))) return null;
  let start = end;
  while (start > from && end - start < NAME_MOST && isNameCode(text.charCodeAt(start - 1))) start -= 1;
  // In escaped text a line break may precede the name.
  if (start > 0 && text.charCodeAt(start - 1) === BACKSLASH && !isQuoted) start += 1;
  const name = text.slice(start, end);
  return isPairName(name, text.charCodeAt(start - 1)) ? { name, start, isQuoted, isApart } : null;
}

function isPairName(name: string, before: number): boolean {
  let is = knownNames.get(name);
  if (is === undefined) {
    if (knownNames.size >= NAMES_REMEMBERED) knownNames = new Map();
    knownNames.set(name, (is = isSecretName(name) || /_pass$/i.test(name)));
  }
  // In the query of a URL.
  return is || ((before === 63 || before === 38) && /^(?:sig|signature|x-(?:amz|goog)-signature|key)$/i.test(name));
}

type PairKind = 'header' | 'password' | 'token' | 'compound';

/** After a plain word of prose there is no value. */
function kindOf(name: string): PairKind {
  const plain = name.toLowerCase();
  if (/^(?:x-|proxy-|http_)?(?:authorization|(?:set-)?cookies?)$/.test(plain)) return 'header';
  if (/^(?:password|passwd|passphrase|passcode|pwd)s?$/.test(plain)) return 'password';
  return /^[A-Za-z][a-z]*$/.test(name) ? 'token' : 'compound';
}

const HEADER = /(?:\\*["'`])?(?:(bearer|basic|token|bot|apikey|dpop|negotiate|ntlm|digest|aws4-hmac-sha256|hmac)[ \t]{1,8})?/iy;
const HEADER_WORD = /[^\s"'`\\,;<>(){}[\]]+/y;
const COOKIE = /[\w.-]{1,64}=[^\s;"\\][^\r\n"\\]*/y;
/** A scheme with credentials in several pairs. */
const PAIRED = /[^\r\n=]{0,200}=[^\r\n]*/y;

/** Credentials or cookies of a header, or null. */
function headerRange(text: string, at: number): TextRange | null {
  HEADER.lastIndex = at;
  const scheme = HEADER.exec(text)?.[1];
  const start = HEADER.lastIndex;
  if (scheme === undefined || /^(?:digest|aws4|hmac)/i.test(scheme)) {
    const pairs = scheme === undefined ? COOKIE : PAIRED;
    pairs.lastIndex = start;
    const all = pairs.exec(text)?.[0];
    return all === undefined ? null : { start, end: start + all.trimEnd().length };
  }
  HEADER_WORD.lastIndex = start;
  const value = HEADER_WORD.exec(text)?.[0] ?? '';
  if (value === '' || isPlaceholder(value)) return null;
  const end = start + value.length;
  return looksRandom(value, 6) || (endsValue(text, end) && !isDescribing(value)) ? { start, end } : null;
}

const QUOTE = /(?:[bfru]{1,2})?(\\*)(["'`])/iy;

function quotedRange(text: string, at: number, before: PairName, kind: PairKind, stops: Stops): TextRange | null {
  QUOTE.lastIndex = at;
  const opened = QUOTE.exec(text);
  if (opened === null) return null;
  const [, slashes = '', quote = ''] = opened;
  const start = at + opened[0].length;
  const close = closeOf(text, start, slashes.length, quote, quote === '`' ? text.length : stops.line(start));
  const value = text.slice(start, close);
  const isProse = kind === 'token' && !before.isQuoted && !/[\w-]{6}/.test(value);
  const isValue = value !== '' && !isPlaceholder(value) && !isProse && !/^\$?\{[^}]*\}$/.test(value);
  return isValue ? { start, end: close } : { start: close, end: close };
}

/** End of a quoted text opened after so many backslashes; else the end of the line. */
function closeOf(text: string, start: number, slashes: number, quote: string, limit: number): number {
  for (let at = text.indexOf(quote, start); at !== -1 && at < limit; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > start && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    const count = at - before;
    // More backslashes than at the start escape the quote.
    if (slashes === 0 ? count % 2 === 0 : count <= slashes) return at - count + (slashes === 0 ? count : 0);
  }
  return limit;
}

const SCHEMA_WORD = /[{[]\s{0,40}(?:\\*["'](?:type|\$ref|description|title|anyOf|oneOf|allOf|enum|const)\\*["']|[}\]])/y;

/** An object or list after a JSON name; not a schema. */
function nestedRange(text: string, at: number): TextRange | null {
  const first = text.charCodeAt(at);
  if (first !== 123 && first !== 91) return null;
  SCHEMA_WORD.lastIndex = at;
  if (SCHEMA_WORD.test(text)) return null;
  let depth = 0;
  let isText = false;
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH && text.charCodeAt(end + 1) !== 34) end += 1;
    else if (code === 34) isText = !isText;
    else if (!isText && (code === 123 || code === 91)) depth += 1;
    else if (!isText && (code === 125 || code === 93)) {
      depth -= 1;
      if (depth === 0) return { start: at, end: end + 1 };
    }
  }
  return { start: at, end: text.length };
}

/** Ends an unquoted value. */
const BARE_ENDS = new Set('"\'`\\<>(){}[]| \t\r\n\v\f'.split('').map((letter) => letter.charCodeAt(0)));
/** Part of the value unless another pair or word follows. */
const NEXT_PAIR = /[,;&](?:[\s"'`\\]|$|[\w.-]{0,64}[=:])/y;

interface Stops {
  /** End of an unquoted value. */
  value(start: number): number;
  line(start: number): number;
}

/** Called in order, so each part is scanned once. */
function stopsOf(text: string): Stops {
  return {
    value: remembered((start) => {
      for (let end = start; end < text.length; end += 1) {
        const code = text.charCodeAt(end);
        if (BARE_ENDS.has(code)) return end;
        if (code !== 44 && code !== 59 && code !== 38) continue;
        NEXT_PAIR.lastIndex = end;
        if (NEXT_PAIR.test(text)) return end;
      }
      return text.length;
    }),
    line: remembered((start) => {
      const end = text.indexOf('\n', start);
      return end === -1 ? text.length : end;
    }),
  };
}

function remembered(find: (start: number) => number): (start: number) => number {
  let from = 0;
  let end = 0;
  return (start) => {
    if (start < from || start >= end) {
      from = start;
      end = find(start);
    }
    return end;
  };
}

const REFERENCE = /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][A-Za-z_$]*)+$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*$/;

interface BareContext extends PairName {
  readonly kind: PairKind;
  readonly isTight: boolean;
  readonly stops: Stops;
}

function bareRange(text: string, start: number, { kind, name, start: nameStart, isTight, stops }: BareContext): TextRange | null {
  const stop = stops.value(start);
  let end = stop;
  while (end > start && '.,:;!?'.includes(text[end - 1] ?? '')) end -= 1;
  const value = text.slice(start, Math.min(end, start + VALUE_MOST));
  const next = text.charCodeAt(stop);
  if (value === '' || isPlaceholder(value) || (value === '$' && next === 123)) return null;
  if ((next === 40 || next === 91) && IDENTIFIER.test(value)) return null;
  if (isTight && value.length <= NAME_MOST && value.toLowerCase().replaceAll('_', '') === name.toLowerCase().replaceAll('_', ''))
    return null;
  if (REFERENCE.test(value)) return null;
  if (/^(?:old)?pwd$/i.test(name) && /^(?:[/~.]|[A-Z]:)/.test(value)) return null;
  if (isTight || looksRandom(value, kind === 'password' ? 4 : 6)) return { start, end };
  const isLine = kind !== 'token' && isLineStart(text, nameStart) && endsValue(text, end);
  return isLine && !isDescribing(value) ? { start, end } : null;
}

const FLAG = /--([A-Za-z][\w-]{1,40})[ \t]{1,8}(?:\\*(["'])([^"'\r\n\\]+)|([^\s"'`\\<>(){}[\]|$-][^\s"'`\\<>(){}[\]|]*))/y;
const USER_FLAG = /(?<!\S)-u[ \t]{1,8}["']?([^\s:"']{1,64}:)([^\s"']+)/y;

/** `--password …` and `-u user:password` of a command line. */
function findFlags(text: string, into: TextRange[]): void {
  for (let at = text.indexOf('--'); at !== -1; at = text.indexOf('--', at + 2)) {
    FLAG.lastIndex = at;
    const found = FLAG.exec(text);
    if (found === null || !isPairName(found[1] ?? '', 0)) continue;
    const value = found[3] ?? found[4] ?? '';
    const end = at + found[0].length;
    if (!isPlaceholder(value) && (found[3] !== undefined || looksRandom(value, 4))) into.push({ start: end - value.length, end });
  }
  for (let at = text.indexOf('-u '); at !== -1; at = text.indexOf('-u ', at + 3)) {
    USER_FLAG.lastIndex = at;
    const found = USER_FLAG.exec(text);
    const value = found?.[2] ?? '';
    const end = USER_FLAG.lastIndex;
    if (found !== null && !isPlaceholder(value) && /^\D/.test(value[0] ?? '')) into.push({ start: end - value.length, end });
  }
}

function isLineStart(text: string, start: number): boolean {
  let at = start;
  while (at > 0 && start - at < SPACES_MOST && (isBlank(text.charCodeAt(at - 1)) || isQuote(text.charCodeAt(at - 1)))) at -= 1;
  const before = text[at - 1];
  return before === undefined || '\n\r,;{-'.includes(before);
}

function endsValue(text: string, end: number): boolean {
  let at = end;
  while (isBlank(text.charCodeAt(at))) at += 1;
  const next = text[at];
  return next === undefined || '\n\r,;}"\'\\'.includes(next);
}

function mayEndName(text: string, end: number): boolean {
  const four = packed(text, 4, end);
  if (!LAST_FOUR.has(four)) return LAST_THREE.has(four & 0xff_ff_ff);
  // Not `version` and its many kin.
  return four !== TION || (text.charCodeAt(end - 5) | 32) === 97;
}

/** The last letters as one number, case-insensitive. */
function packed(text: string, letters: number, end = text.length): number {
  let number = 0;
  for (let at = Math.max(0, end - letters); at < end; at += 1) number = (number << 8) | (text.charCodeAt(at) & 0xff) | 32;
  return number;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code);
}

function isNameCode(code: number): boolean {
  return isWordCode(code) || code === 95 || code === 45 || code === 46;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
