import fc from 'fast-check';
import { lazily, preferring, withEdges } from './edge-arbitrary.ts';
import {
  combine,
  flatten,
  isObject,
  listIn,
  measureDepth,
  memberOf,
  numberIn,
  patternOf,
  requiredOf,
  type Schema,
  type SchemaNode,
  typesOf,
} from './schema-parts.ts';

/**
 * Values of a schema. Recursive members are followed in two ways: all of them for a few levels, up to some hundred values, or a
 * single one, very deep. What can go wrong:
 * - a schema requires itself endlessly: no value exists, which is noted;
 * - unknown keywords: the validator drops invalid values.
 */
interface SchemaArbitraries {
  readonly values: fc.Arbitrary<unknown>;
  /** Unsupported parts, as text; grows during generation. */
  readonly notes: ReadonlySet<string>;
}

/** Position of a value: `left` is the number of further levels; along a spine only one member per level continues. */
interface Place {
  readonly left: number;
  readonly isSpine: boolean;
  /** Levels above this value. */
  readonly depth: number;
}

const FULL_VALUES = 300;
const FULL_LEVELS = 6;
const SPINE_LEVELS = 32;
const ANY_LEVELS = 24;
const LONGEST_LIST = 8;
const LONG_LIST = 1_000;
const SCALARS = new Set<unknown>(['integer', 'number', 'boolean', 'null']);
const MOST_EXTRA = 4;

export function createSchemaArbitraries(root: Schema): SchemaArbitraries {
  const notes = new Set<string>();
  const nodes = new WeakMap<object, SchemaNode>();
  const made = new WeakMap<object, Map<string, fc.Arbitrary<unknown>>>();
  const depths = measureDepth(root, nodeOf);
  const addNote = (note: string): void => void notes.add(note);

  function nodeOf(schema: unknown): SchemaNode {
    if (!isObject(schema)) return flatten(schema, root);
    const known = nodes.get(schema);
    if (known !== undefined) return known;
    const node = flatten(schema, root);
    nodes.set(schema, node);
    return node;
  }

  function valueAt(schema: unknown, place: Place): fc.Arbitrary<unknown> {
    if (!isObject(schema)) return anyJson();
    if (!Number.isFinite(depths.levels(schema))) return fc.constant(null);
    const key = `${place.left}/${place.isSpine}/${place.depth}`;
    const known = made.get(schema)?.get(key);
    if (known !== undefined) return known;
    const arbitrary = lazily(() => valueOf(nodeOf(schema), place));
    made.set(schema, (made.get(schema) ?? new Map<string, fc.Arbitrary<unknown>>()).set(key, arbitrary));
    return arbitrary;
  }

  function valueOf({ flat, choices }: SchemaNode, place: Place): fc.Arbitrary<unknown> {
    const [list, ...rest] = choices;
    if (list !== undefined) {
      const open = choose(list, place);
      return open.length === 0
        ? fc.constant(null)
        : fc.oneof(
            ...open.map((one) => ({
              arbitrary: lazily(() => valueOf(combine({ flat, choices: rest }, nodeOf(one)), place)),
              weight: place.isSpine && place.left > 0 && depths.recurses(one) ? 16 : 1,
            })),
          );
    }
    if ('const' in flat) return fc.constant(flat['const']);
    if (Array.isArray(flat['enum'])) return flat['enum'].length === 0 ? fc.constant(null) : fc.constantFrom(...listIn(flat['enum']));
    const types = typesOf(flat);
    return types.length === 0 ? anyJson() : fc.oneof(...types.map((type) => valueOfType(type, flat, place)));
  }

  /** Without further levels, the branch that ends soonest. */
  function choose(list: readonly unknown[], place: Place): readonly unknown[] {
    const possible = list.filter((one) => one !== false);
    if (place.left > 0) return possible.filter((one) => Number.isFinite(depths.levels(one)));
    const least = Math.min(...possible.map((one) => depths.levels(one)));
    return possible.filter((one) => depths.levels(one) === least);
  }

  function valueOfType(type: unknown, flat: Schema, place: Place): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return texts(flat, addNote);
      case 'integer':
        return integers(flat);
      case 'number':
        return numbers(flat);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return lists(flat, place);
      case 'object':
        return objects(flat, place);
      default:
        return anyJson();
    }
  }

  function below(schema: unknown, place: Place, mayRecurse = true): Place {
    const depth = place.depth + 1;
    if (!depths.recurses(schema)) return { ...place, depth };
    return { ...place, depth, left: mayRecurse ? Math.max(0, place.left - 1) : 0 };
  }

  function lists(flat: Schema, place: Place): fc.Arbitrary<unknown[]> {
    const tuple = Array.isArray(flat['prefixItems']) ? flat['prefixItems'] : Array.isArray(flat['items']) ? flat['items'] : [];
    const more = Array.isArray(flat['items']) ? flat['additionalItems'] : flat['items'];
    const least = numberIn(flat, 'minItems') ?? 0;
    const most = Math.max(least, numberIn(flat, 'maxItems') ?? Number.POSITIVE_INFINITY);
    const parts = listIn(tuple).map((one) => valueAt(one, below(one, place)));
    if (parts.length > 0) {
      const count = withEdges(fc.integer({ min: Math.min(least, parts.length), max: Math.min(most, parts.length) }), [
        Math.min(most, parts.length),
      ]);
      const rest =
        more === false || least <= parts.length ? fc.constant<unknown[]>([]) : entries(more, least - parts.length, most, flat, place);
      return fc
        .tuple(fc.tuple(...parts), count, rest)
        .map(([first, shown, others]) => (others.length > 0 ? [...first, ...others] : first.slice(0, shown)));
    }
    const { contains } = flat;
    if (contains === undefined || contains === true) return entries(more, least, most, flat, place);
    const wanted = numberIn(flat, 'minContains') ?? 1;
    const found = entries(
      { allOf: [contains, more ?? {}] },
      wanted,
      Math.max(wanted, numberIn(flat, 'maxContains') ?? wanted + 2),
      flat,
      place,
    );
    const others = entries(more, Math.max(0, least - wanted), Math.max(0, most - wanted), flat, place);
    return fc.tuple(found, others).map(([one, other]) => [...one, ...other].slice(0, most));
  }

  function entries(schema: unknown, least: number, most: number, flat: Schema, place: Place): fc.Arbitrary<unknown[]> {
    const isRecursive = depths.recurses(schema);
    const here = below(schema, place);
    const usual = isRecursive ? (place.left === 0 ? 0 : place.isSpine ? 1 : 3) : Math.max(1, LONGEST_LIST >> Math.max(0, place.depth - 1));
    const minLength = Math.max(least, isRecursive && place.isSpine && place.left > 0 ? 1 : 0);
    const maxLength = Math.max(least, Math.min(most, Math.max(usual, minLength)));
    const entry = valueAt(schema, here);
    const make = (most: number): fc.Arbitrary<unknown[]> =>
      flat['uniqueItems'] === true
        ? fc.uniqueArray(entry, {
            minLength: Math.min(minLength, most),
            maxLength: most,
            selector: (value) => JSON.stringify(value),
            size: 'max',
          })
        : fc.array(entry, { minLength: Math.min(minLength, most), maxLength: most, size: 'max' });
    const isPlain = isObject(schema) && typesOf(nodeOf(schema).flat).every((type) => SCALARS.has(type)) && 'type' in nodeOf(schema).flat;
    const long = Math.min(most, LONG_LIST);
    if (!isPlain || long <= maxLength || place.depth > 2) return make(maxLength);
    return fc.oneof({ arbitrary: make(maxLength), weight: 9 }, { arbitrary: make(long), weight: 1 });
  }

  function objects(flat: Schema, place: Place): fc.Arbitrary<Schema> {
    const required = requiredOf(flat);
    const declared = isObject(flat['properties']) ? Object.keys(flat['properties']) : [];
    const optional = declared.filter((name) => !required.includes(name) && memberOf(name, flat) !== false);
    const onward = [...required, ...optional].filter((name) => depths.recurses(memberOf(name, flat)));
    const spine = place.isSpine && place.left > 0 ? onward[place.left % onward.length] : undefined;
    const member = (name: string): fc.Arbitrary<unknown> => {
      const schema = memberOf(name, flat);
      const mayRecurse = spine === undefined || name === spine;
      const arbitrary = valueAt(schema, below(schema, place, mayRecurse));
      if (!Number.isFinite(depths.levels(schema))) addNote(`${JSON.stringify(name)} requires itself endlessly; no value can be generated.`);
      return arbitrary;
    };
    const mayLack = optional.filter((name) => {
      const schema = memberOf(name, flat);
      if (!depths.recurses(schema)) return true;
      return !place.isSpine && place.left > 0 && Number.isFinite(depths.levels(schema));
    });
    const always = [...required, ...(spine === undefined || required.includes(spine) ? [] : [spine])];
    const capacity = Math.max(0, (numberIn(flat, 'maxProperties') ?? Number.POSITIVE_INFINITY) - always.length);
    const lacking = Math.max(0, (numberIn(flat, 'minProperties') ?? 0) - always.length);
    const few = Math.max(2, LONGEST_LIST >> place.depth);
    const isLarge = mayLack.filter((name) => isObject(memberOf(name, flat)) && !isScalar(memberOf(name, flat))).length > few;
    const extras = extraMembers(
      flat,
      place,
      Math.max(0, lacking - mayLack.length),
      capacity - Math.min(capacity, mayLack.length),
      declared.length > 0,
    );
    const record = (chosen: readonly string[], keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
      fc.record<Record<string, unknown>>(Object.fromEntries([...keys, ...chosen].map((name) => [name, member(name)])), {
        requiredKeys: [...keys],
        noNullPrototype: true,
      });
    const own =
      lacking > 0 || capacity < mayLack.length || (isLarge && place.depth > 0)
        ? fc
            .subarray(mayLack, {
              minLength: Math.min(lacking, mayLack.length),
              maxLength: Math.min(capacity, mayLack.length, Math.max(few, lacking)),
            })
            .chain((chosen) => record([], [...always, ...chosen]))
        : record(mayLack, always);
    return extras === null ? own : fc.tuple(extras, own).map(([more, named]) => ({ ...more, ...named }));
  }

  function isScalar(schema: unknown): boolean {
    const { flat, choices } = nodeOf(schema);
    return choices.length === 0 && ('enum' in flat || typesOf(flat).every((type) => SCALARS.has(type) || type === 'string'));
  }

  /** Undeclared members, if there are no or too few others. Null if forbidden. */
  function extraMembers(flat: Schema, place: Place, least: number, capacity: number, hasDeclared: boolean): fc.Arbitrary<Schema> | null {
    const patterns = isObject(flat['patternProperties']) ? Object.entries(flat['patternProperties']) : [];
    const { additionalProperties: more = {}, propertyNames } = flat;
    if (least === 0 && (hasDeclared || (more === false && patterns.length === 0))) return null;
    const names = isObject(propertyNames)
      ? valueAt({ type: 'string', ...propertyNames }, place).map(String)
      : fc.string({ minLength: 1, maxLength: 20 });
    const kinds = [
      ...(more === false ? [] : [{ keys: names, schema: more }]),
      ...patterns.filter(([, schema]) => schema !== false).map(([pattern, schema]) => ({ keys: texts({ pattern }, addNote), schema })),
    ];
    const usual =
      kinds.some(({ schema }) => depths.recurses(schema)) && (place.left === 0 || place.isSpine) ? Number(place.left > 0) : MOST_EXTRA;
    const most = Math.max(least, Math.min(usual, capacity));
    if (kinds.length === 0 || most === 0) return null;
    return fc.oneof(
      ...kinds.map(({ keys, schema }) =>
        fc.dictionary(keys, valueAt(schema, below(schema, place)), { minKeys: least, maxKeys: most, size: 'max', noNullPrototype: true }),
      ),
    );
  }

  const fullLevels = Math.max(1, Math.min(FULL_LEVELS, Math.floor(Math.log(FULL_VALUES) / Math.log(Math.max(2, depths.widest)))));
  const usual = valueAt(root, { left: fullLevels, isSpine: false, depth: 0 });
  if (depths.levels(root) === Number.POSITIVE_INFINITY) addNote('The schema requires itself endlessly, so no value is valid.');
  const values = depths.recurses(root)
    ? fc.oneof({ arbitrary: usual, weight: 5 }, { arbitrary: valueAt(root, { left: SPINE_LEVELS, isSpine: true, depth: 0 }), weight: 1 })
    : usual;
  return { values, notes };
}

function anyJson(): fc.Arbitrary<unknown> {
  const deep = withEdges(fc.integer({ min: 1, max: ANY_LEVELS }), [ANY_LEVELS]).map((levels) => {
    let value: unknown = null;
    for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  });
  return fc.oneof({ arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 7 }, { arbitrary: deep, weight: 1 });
}

/** Overflows of 16, 32 and 53 bits. */
const EDGES = [0, 1, -1, 32_767, 65_536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
/** Distance of most numbers from a given bound, or from zero without one. */
const NEAR = 1_000;

function integers(schema: Schema): fc.Arbitrary<number> {
  const step = numberIn(schema, 'multipleOf') ?? 1;
  const { digits, whole } = scaled(step > 0 ? step : 1);
  const toValue = (count: number): number => (count * whole) / digits;
  const most = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(whole, 1));
  const isShort = schema['format'] === 'int32';
  const low = lowest(schema, step) ?? (isShort ? -(2 ** 31) / step : -most);
  const high = highest(schema, step) ?? (isShort ? (2 ** 31 - 1) / step : most);
  const min = clamp(Math.ceil(low), -most, most);
  // An empty range: the lower bound, which the validator rejects.
  const max = Math.max(min, clamp(Math.floor(high), -most, most));
  const near = clamp(lowest(schema, step) ?? (highest(schema, step) === null ? 0 : high), min, max);
  const ranges = [
    [Math.max(min, near - NEAR), Math.min(max, near + NEAR)],
    [min, max],
  ] as const;
  const counts = ranges.map(([from, to]) => fc.integer({ min: from, max: to }));
  const edges = [...new Set([min, max, ...EDGES.map((edge) => Math.trunc(edge / step))])].filter((edge) => edge >= min && edge <= max);
  const all = withEdges(max - min <= 2 * NEAR ? fc.integer({ min, max }) : fc.oneof(...counts), edges);
  if (whole === 1 && digits === 1) return all;
  return all.map(toValue, (value) => Math.round((Number(value) * digits) / whole));
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = greatest(numberIn(schema, 'minimum'), numberIn(schema, 'exclusiveMinimum')) ?? -1e300;
  const max = least(numberIn(schema, 'maximum'), numberIn(schema, 'exclusiveMaximum')) ?? 1e300;
  if (numberIn(schema, 'multipleOf') !== null || min >= max) return integers(schema);
  const all = fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  const near = fc.double({ min: Math.max(min, -NEAR), max: Math.max(min, Math.min(max, NEAR)), noNaN: true });
  return fc.oneof({ arbitrary: integers(schema), weight: 2 }, { arbitrary: all, weight: 1 }, { arbitrary: near, weight: 1 });
}

function lowest(schema: Schema, step: number): number | null {
  const open = numberIn(schema, 'exclusiveMinimum');
  const closed = numberIn(schema, 'minimum');
  return greatest(open === null ? null : Math.floor(open / step) + 1, closed === null ? null : Math.ceil(closed / step));
}

function highest(schema: Schema, step: number): number | null {
  const open = numberIn(schema, 'exclusiveMaximum');
  const closed = numberIn(schema, 'maximum');
  return least(open === null ? null : Math.ceil(open / step) - 1, closed === null ? null : Math.floor(closed / step));
}

function greatest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

/** 0.01 as 1/100, so that three steps are exactly 0.03. */
function scaled(step: number): { readonly whole: number; readonly digits: number } {
  let digits = 1;
  while (digits < 1e12 && !Number.isInteger(Math.round(step * digits * 1e6) / 1e6)) digits *= 10;
  return { whole: Math.max(1, Math.round(step * digits)), digits };
}

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
