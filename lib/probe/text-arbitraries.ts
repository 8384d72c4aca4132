import fc from 'fast-check';
import { preferring, withEdges } from './edge-arbitrary.ts';
import { listIn, numberIn, patternOf } from './schema-parts.ts';
import type { Schema } from './schema-parts.ts';

const EDGE_TEXTS = ['', ' ', '0', 'null', '../../x', '\'"`;--', '\u0000', '\u202egnirts', '👩‍👩‍👧', 'é', '%s%n', '<b>', '{}'];
/** Characters of natural text, and at the limits of buffers and columns. */
const LONG = 1_000;
const LONGEST = 65_536;
const PATTERN_TRIES = 50;

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
const A = 0x61;
/** Typical and all characters. Those of fast-check take seconds to build a table. */
const CHARACTERS = fc.oneof({ arbitrary: characters(0x7e), weight: 3 }, { arbitrary: characters(0x10_ffff - SURROGATES), weight: 1 });

/** @param addNote receives unsupported parts as text */
export function texts(schema: Schema, addNote: (note: string) => void): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const own = [schema['default'], ...('examples' in schema ? listIn(schema['examples']) : [])].filter((value) => typeof value === 'string');
  if (typeof pattern === 'string') return matching(pattern, matchesOf(own, pattern), addNote);
  const shaped = typeof format === 'string' ? FORMATS[format] : undefined;
  if (shaped !== undefined) return shaped();
  const minLength = Math.max(0, numberIn(schema, 'minLength') ?? 0);
  const maxLength = Math.max(minLength, numberIn(schema, 'maxLength') ?? Math.max(minLength, LONGEST));
  const some = { unit: CHARACTERS, minLength, maxLength: Math.min(maxLength, Math.max(minLength, LONG)) };
  const edges = EDGE_TEXTS.filter((text) => codePoints(text) >= minLength && codePoints(text) <= maxLength);
  const long = Math.min(maxLength, Math.max(minLength, LONGEST));
  const lengths = [minLength, LONG, LONG + 1, long].filter((length) => length >= minLength && length <= long);
  return fc.oneof(
    { arbitrary: withEdges(fc.string(some), edges), weight: 10 },
    { arbitrary: fc.string({ ...some, size: 'max' }), weight: 2 },
    {
      arbitrary: withEdges(fc.integer({ min: minLength, max: long }), lengths, 2).map(
        (length) => 'a'.repeat(length),
        (text) => (typeof text === 'string' ? text.length : 0),
      ),
      weight: 2,
    },
  );
}

function matching(pattern: string, known: readonly string[], addNote: (note: string) => void): fc.Arbitrary<string> {
  const real = patternOf(pattern);
  if (real === null) return fc.string();
  const simple = withoutAssertions(withPlainHyphens(pattern));
  const made = preferringMatches(pattern, real) ?? (simple === null ? null : preferringMatches(simple, real));
  if (made !== null) return withEdges(made, known);
  if (known.length > 0) return fc.constantFrom(...known);
  addNote(`Texts that match ${JSON.stringify(pattern)} cannot be generated; they are guessed, and most guesses are invalid. Add examples.`);
  return preferring(fc.string(), (text) => real.test(text), PATTERN_TRIES);
}

function preferringMatches(pattern: string, real: RegExp): fc.Arbitrary<string> | null {
  for (const flags of ['u', '']) {
    try {
      return preferring(fc.stringMatching(new RegExp(pattern, flags)), (text) => real.test(text), PATTERN_TRIES);
    } catch {
      // Invalid in this mode, or with a part that cannot be generated.
      continue;
    }
  }
  return null;
}

/** `[\w-.]` has three parts: a class cannot start a range. */
function withPlainHyphens(pattern: string): string {
  return pattern.replaceAll(/(\\[dDwWsS])-(?!\])/g, '$1\\-');
}

/** Without lookarounds and word boundaries: generated values are tested against the complete pattern. */
function withoutAssertions(pattern: string): string | null {
  let simple = pattern.replaceAll(/(?<!\\)((?:\\\\)*)\\[bB]/g, '$1');
  for (let at = simple.search(/\(\?<?[=!]/); at !== -1; at = simple.search(/\(\?<?[=!]/)) {
    const end = endOfGroup(simple, at);
    if (end === null) return null;
    simple = simple.slice(0, at) + simple.slice(end);
  }
  return simple;
}

function endOfGroup(pattern: string, from: number): number | null {
  let open = 0;
  let isClass = false;
  for (let at = from; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (isClass) isClass = character !== ']';
    else if (character === '[') isClass = true;
    else if (character === '(') open += 1;
    else if (character === ')' && (open -= 1) === 0) return at + 1;
  }
  return null;
}

function matchesOf(given: readonly string[], pattern: string): readonly string[] {
  const real = patternOf(pattern);
  return real === null ? [] : given.filter((text) => real.test(text));
}

/** Shrinks towards "a". */
function characters(most: number): fc.Arbitrary<string> {
  return fc.integer({ min: -A, max: most - A }).map(
    (number) => String.fromCodePoint(number + A >= FIRST_SURROGATE ? number + A + SURROGATES : number + A),
    (text) => {
      const point = typeof text === 'string' && codePoints(text) === 1 ? (text.codePointAt(0) ?? FIRST_SURROGATE) : FIRST_SURROGATE;
      if (point >= FIRST_SURROGATE && point < FIRST_SURROGATE + SURROGATES) throw new Error('no single character');
      return point >= FIRST_SURROGATE ? point - SURROGATES - A : point - A;
    },
  );
}

/** JSON Schema counts code points. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

function dates(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
}

const duration = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('PT0S', 'P1D', 'PT36H', 'P3Y6M4DT12H30M5S'),
    fc.nat(10_000).map((weeks) => `P${weeks}W`),
    fc.tuple(fc.nat(1_000), fc.nat(59)).map(([minutes, seconds]) => `PT${minutes}M${seconds}S`),
  );
const dateTime = (): fc.Arbitrary<string> => dates().map((date) => date.toISOString());
const time = (): fc.Arbitrary<string> => dateTime().map((text) => text.slice(11));
const uri = (): fc.Arbitrary<string> => fc.webUrl({ withQueryParameters: true, withFragments: true });
const pointer = (encode: (part: string) => string = (part) => part): fc.Arbitrary<string> =>
  fc.array(fc.string()).map((parts) => parts.map((part) => `/${encode(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join(''));

const FORMATS: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  'date-time': dateTime,
  'iso-date-time': dateTime,
  date: () => dates().map((date) => date.toISOString().slice(0, 10)),
  time,
  'iso-time': time,
  duration,
  email: () => fc.emailAddress(),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri,
  url: () => fc.webUrl(),
  'uri-reference': () => fc.oneof(uri(), fc.webPath()),
  'uri-template': () => fc.constantFrom('', '/a', 'https://example.com/{name}', '/{a}/{+b}{?c,d}'),
  uuid: () => fc.uuid(),
  regex: () => fc.constantFrom('', 'a', '^[a-z]+$', '(a|b)*', '\\d{3}', '.'),
  'json-pointer': () => pointer(),
  'json-pointer-uri-fragment': () => pointer((part) => encodeURIComponent(part).replaceAll("'", '%27')).map((text) => `#${text}`),
  'relative-json-pointer': () => fc.tuple(fc.nat(99), fc.constantFrom('', '#', '/a', '/a/0')).map(([up, rest]) => `${up}${rest}`),
  byte: () => fc.base64String(),
};
