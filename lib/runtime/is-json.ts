/**
 * Checks that bytes of a child are JSON, without parsing: results are passed on as text, and their readers rely on it. Allocates
 * nothing, so a large result costs no memory.
 *
 * What can go wrong: it is nested too deep for its readers (rejected like invalid JSON). Invalid UTF-8 within a string becomes
 * U+FFFD, which is still valid JSON.
 */
export function isJson(bytes: Uint8Array): boolean {
  let at = 0;
  let depth = 0;
  for (;;) {
    at = afterSpace(bytes, at);
    const byte = bytes[at];
    if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      at = afterSpace(bytes, at + 1);
      if (bytes[at] !== byte + CLOSED) {
        if (depth === DEPTH_MOST) return false;
        opened[depth] = byte;
        depth += 1;
        if (byte === BRACE_OPEN) at = afterKey(bytes, at);
        if (at === NOWHERE) return false;
        continue;
      }
      at += 1;
    } else {
      at = byte === QUOTE ? afterString(bytes, at) : byte !== undefined && byte >= LETTER ? afterWord(bytes, at) : afterNumber(bytes, at);
      if (at === NOWHERE) return false;
    }
    for (;;) {
      at = afterSpace(bytes, at);
      if (depth === 0) return at === bytes.length;
      const around = opened[depth - 1] ?? 0;
      if (bytes[at] === COMMA) {
        at = around === BRACE_OPEN ? afterKey(bytes, afterSpace(bytes, at + 1)) : at + 1;
        if (at === NOWHERE) return false;
        break;
      }
      if (bytes[at] !== around + CLOSED) return false;
      at += 1;
      depth -= 1;
    }
  }
}

/** Deeper than any child writes a result. */
const DEPTH_MOST = 512;
const opened = new Uint8Array(DEPTH_MOST);
const NOWHERE = -1;

/** Characters below it are invalid in a string. */
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const EXPONENT = 0x65;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const LETTER = 0x61;
const LETTER_U = 0x75;
const BRACE_OPEN = 0x7b;
/** Offset from an opening bracket to its closing one. */
const CLOSED = 2;
const LOWER_CASE = 0x20;
const ESCAPES: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at += 1;
  return at;
}

function afterKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return NOWHERE;
  const end = afterString(bytes, from);
  if (end === NOWHERE) return NOWHERE;
  const colon = afterSpace(bytes, end);
  return bytes[colon] === COLON ? colon + 1 : NOWHERE;
}

function afterString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    let byte = bytes[at];
    while (byte !== undefined && byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) {
      at += 1;
      byte = bytes[at];
    }
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return NOWHERE;
    const escape = bytes[at + 1];
    if (escape === LETTER_U) {
      for (let digit = 2; digit < 6; digit += 1) if (!isHex(bytes[at + digit])) return NOWHERE;
      at += 6;
    } else if (ESCAPES.has(escape)) at += 2;
    else return NOWHERE;
  }
}

function afterWord(bytes: Uint8Array, from: number): number {
  const word = bytes[from] === TRUE[0] ? TRUE : bytes[from] === FALSE[0] ? FALSE : NULL;
  for (let place = 0; place < word.length; place += 1) if (bytes[from + place] !== word[place]) return NOWHERE;
  return from + word.length;
}

function afterNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : afterDigits(bytes, at);
  if (at !== NOWHERE && bytes[at] === POINT) at = afterDigits(bytes, at + 1);
  if (at === NOWHERE || ((bytes[at] ?? 0) | LOWER_CASE) !== EXPONENT) return at;
  const sign = bytes[at + 1];
  return afterDigits(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

function afterDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x30 && byte <= 0x39; byte = bytes[at]) at += 1;
  return at === from ? NOWHERE : at;
}

function isHex(byte = 0): boolean {
  const lower = byte | LOWER_CASE;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
