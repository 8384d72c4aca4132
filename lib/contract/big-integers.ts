/**
 * JSON with integers beyond 2^53: `JSON.parse` silently turns 1234567890123456789 into 1234567890123456800. Here such an
 * integer becomes a bigint; every other value is parsed by `JSON.parse`.
 *
 * What can go wrong: every call is parsed here, so text without long digit runs must cost no more than `JSON.parse` (a reviver
 * with source access costs ten times as much); deep nesting and numbers of a million digits must not exhaust stack or CPU.
 */
const SHORTEST = 16;
/** Python's limit. Longer ones stay doubles and become Infinity. */
const LONGEST = 3_100;
const [ZERO, NINE, BACKSLASH, MINUS] = [0x30, 0x39, 0x5c, 0x2d];

/** The original `JSON.parse`, in case it is replaced. */
export const parse: (text: string) => unknown = JSON.parse;

/** @throws SyntaxError as `JSON.parse` does */
export function parseWithBigints(text: string): unknown {
  return withExactIntegers(text, parse(text));
}

/** @param plain result of `JSON.parse`; returned if exact, else copied with bigints */
export function withExactIntegers(text: string, plain: unknown): unknown {
  const first = nextLongInteger(text, 0);
  return first === null ? plain : exactly(text, first, plain);
}

/** Error message for such a number. */
export const NOT_EXACT = `A number beyond ${Number.MAX_SAFE_INTEGER} would not arrive exactly. Send it as text if the tool allows that.`;

/** Whether a double would round this integer. */
export function isBeyondDouble(digits: string): boolean {
  return digits.length >= SHORTEST && digits.length <= LONGEST && String(Number(digits)) !== digits;
}

/** Parses digits with an optional sign. */
export function readInteger(digits: string): number | bigint {
  return isBeyondDouble(digits) ? BigInt(digits) : Number(digits);
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** A digit run in JSON text, possibly inside a string. */
function nextLongInteger(text: string, start: number): Place | null {
  // Steps of this length hit every run of that many digits.
  for (let at = start + SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (!isDigit(text, at)) continue;
    let from = at;
    while (from > start && isDigit(text, from - 1)) from -= 1;
    let to = at + 1;
    while (isDigit(text, to)) to += 1;
    if (to - from >= SHORTEST && isInteger(text, from, to)) return { from: text.charCodeAt(from - 1) === MINUS ? from - 1 : from, to };
    at = to - 1;
  }
  return null;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

/** A fraction or exponent makes it a double. */
function isInteger(text: string, from: number, to: number): boolean {
  return '\t\n\r ,:[-'.includes(text.charAt(from - 1)) && '\t\n\r ,]}'.includes(text.charAt(to));
}

let mark: string | null = null;

/** Each such integer is replaced by an unguessable string, which marks it in the parsed value. */
function exactly(text: string, first: Place, plain: unknown): unknown {
  mark ??= `${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
  let marked = '';
  let copied = 0;
  let counted = 0;
  let isInString = false;
  for (let place: Place | null = first; place !== null; place = nextLongInteger(text, place.to)) {
    for (let quote = text.indexOf('"', counted); quote !== -1 && quote < place.from; quote = text.indexOf('"', quote + 1)) {
      if (!isInString || !isEscaped(text, quote)) isInString = !isInString;
    }
    counted = place.from;
    const digits = text.slice(place.from, place.to);
    if (isInString || !isBeyondDouble(digits)) continue;
    marked += `${text.slice(copied, place.from)}"${mark}${digits}"`;
    copied = place.to;
  }
  return marked === '' ? plain : withBigints(parse(`${marked}${text.slice(copied)}`), mark);
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === BACKSLASH) from -= 1;
  return (at - from) % 2 === 1;
}

function withBigints(root: unknown, mark: string): unknown {
  const wrapper = { root };
  const pending: object[] = [wrapper];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const key of Object.keys(holder)) {
      const value: unknown = Reflect.get(holder, key);
      if (typeof value === 'object' && value !== null) pending.push(value);
      else if (typeof value === 'string' && value.startsWith(mark)) Reflect.set(holder, key, BigInt(value.slice(mark.length)));
    }
  }
  return wrapper.root;
}

export function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(holdsBigint);
}

/** The same with doubles instead of bigints. */
export function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutBigints(inner)]));
}

/** A bigint in a value, and its path. */
export interface FoundBigint {
  readonly path: readonly string[];
  readonly value: bigint;
}

export function bigintsIn(root: unknown): readonly FoundBigint[] {
  const found: FoundBigint[] = [];
  const pending: { readonly path: readonly string[]; readonly value: unknown }[] = [{ path: [], value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next;
    if (typeof value === 'bigint') found.push({ path, value });
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) pending.push({ path: [...path, key], value: inner });
  }
  return found.reverse();
}
