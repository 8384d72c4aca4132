import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#lib/contract/tool.ts';
import { createProbeArguments } from './probe-arguments.ts';

const TREE: JsonSchema = {
  type: 'object',
  required: ['tree'],
  properties: { tree: { $ref: '#/$defs/Tree' } },
  additionalProperties: false,
  $defs: {
    Tree: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
    },
  },
};

/** All of them required, and nothing else. */
function members(properties: Readonly<Record<string, unknown>>, more: JsonSchema = {}): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false, ...more };
}

const MANY = Array.from({ length: 20 }, (_, at) => `m${at}`);
const FORMATS = [
  'date',
  'date-time',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'url',
  'uri-reference',
  'uri-template',
  'uuid',
];
const MORE_FORMATS = ['regex', 'json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer', 'byte', 'iso-time', 'iso-date-time'];
const EXPRESSION = members(
  { value: { $ref: '#/$defs/Expression' } },
  {
    $defs: {
      Expression: {
        anyOf: [
          {
            type: 'object',
            required: ['left', 'right'],
            properties: { left: { $ref: '#/$defs/Expression' }, right: { $ref: '#/$defs/Expression' } },
          },
          { type: 'number' },
        ],
      },
    },
  },
);
const ENDLESS = { A: { type: 'object', required: ['a'], properties: { a: { $ref: '#/$defs/A' } } } };

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  'texts and numbers': {
    type: 'object',
    required: ['text', 'count', 'ratio'],
    properties: {
      text: { type: 'string', minLength: 2, maxLength: 5 },
      count: { type: 'integer', minimum: 3, exclusiveMaximum: 9 },
      ratio: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      even: { type: 'integer', multipleOf: 2 },
    },
    additionalProperties: false,
  },
  'choices, constants and formats': {
    type: 'object',
    required: ['unit', 'day', 'either', 'id'],
    properties: {
      unit: { enum: ['km', 'mi', null, 3] },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      either: { anyOf: [{ type: 'boolean' }, { const: 'both' }, { type: ['null', 'integer'] }] },
      id: { type: 'string', pattern: '^[a-f]{4}-\\d+$' },
      mail: { type: 'string', format: 'email' },
    },
    additionalProperties: false,
  },
  'lists, tuples and maps': {
    type: 'object',
    required: ['list', 'pair', 'map'],
    properties: {
      list: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 },
      pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], minItems: 2, items: false },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    additionalProperties: false,
  },
  'combined schemas': {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'integer' } }, required: ['b'] },
    ],
  },
  'every validated format': members(
    Object.fromEntries([...FORMATS, ...MORE_FORMATS].map((format) => [format, { type: 'string', format }])),
  ),
  'one bound, far from zero': members({
    at: { type: 'integer', minimum: 1_700_000_000_000 },
    before: { type: 'integer', exclusiveMaximum: -1_700_000_000_000 },
    large: { type: 'number', minimum: 5e12 },
    half: { type: 'integer', exclusiveMinimum: 2.5, maximum: 3 },
  }),
  'required and unique items of a list': members({
    has: { type: 'array', contains: { const: 7 } },
    once: { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 3 },
  }),
  'excluded values': members({ other: { type: 'integer', not: { const: 0 } }, none: { not: { type: 'string' } } }),
  'number and names of members': {
    type: 'object',
    minProperties: 2,
    propertyNames: { pattern: '^[a-z]{3}$' },
    additionalProperties: { type: 'integer' },
  },
  'optional members': {
    type: 'object',
    minProperties: 2,
    maxProperties: 2,
    properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'string' } },
    additionalProperties: false,
  },
  'a pattern that is invalid in Unicode mode': members({ name: { type: 'string', pattern: '^[\\w-.]+$' } }),
  'a pattern with word boundaries': members({ name: { type: 'string', pattern: '\\bfoo\\b' } }),
  'a pattern with lookaheads': members({ password: { type: 'string', pattern: '^(?=.*\\d)(?=.*[a-z]).{8,}$' } }),
  'a pattern with a back reference and an example': members({ twice: { type: 'string', pattern: '^(a|b)\\1$', examples: ['aa', 'bb'] } }),
  'tuples of draft-07': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...members({ pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/definitions/Count' }], minItems: 2 } }),
    definitions: { Count: { type: 'integer' } },
  },
  recursion: TREE,
  'recursion through required members': EXPRESSION,
  'recursion at the root': {
    type: 'object',
    properties: { child: { $ref: '#' }, count: { type: 'integer' } },
    additionalProperties: false,
  },
  'wide recursion': members(
    { wide: { $ref: '#/$defs/Wide' } },
    { $defs: { Wide: { type: 'object', properties: Object.fromEntries(MANY.map((name) => [name, { $ref: '#/$defs/Wide' }])) } } },
  ),
  'wide recursion through required members': members(
    { wide: { $ref: '#/$defs/Wide' } },
    {
      $defs: {
        Wide: { anyOf: [{ type: 'null' }, members(Object.fromEntries(MANY.map((name) => [name, { $ref: '#/$defs/Wide' }])))] },
      },
    },
  ),
  'an optional member without valid values': {
    type: 'object',
    properties: { count: { type: 'integer' }, a: { $ref: '#/$defs/A' } },
    additionalProperties: false,
    $defs: ENDLESS,
  },
  'no parameters': { type: 'object', properties: {}, additionalProperties: false },
};

const sample = (arbitrary: fc.Arbitrary<unknown>) => fc.sample(arbitrary, { numRuns: 200, seed: 1 });

describe('generated arguments', () => {
  it.each(Object.entries(SCHEMAS))('are valid: %s', (_name, schema) => {
    const made = createProbeArguments(schema);
    const given = sample(made.valid);
    const fitting = given.filter((one) => made.isValid(one));
    expect(fitting.length).toBeGreaterThan(given.length * 0.7);
  });

  it.each(Object.entries(SCHEMAS).filter(([name]) => name !== 'combined schemas'))(
    'are invalid where they should be: %s',
    (_name, schema) => {
      const made = createProbeArguments(schema);
      expect(sample(made.invalid).filter((one) => !made.isValid(one)).length).toBeGreaterThan(20);
    },
  );

  it('are invalid at depth too, in objects and in lists', () => {
    const guest = { type: 'object', additionalProperties: false, required: ['age'], properties: { age: { type: 'integer' } } };
    const made = createProbeArguments(members({ guest, guests: { type: 'array', minItems: 1, items: guest } }));
    const wrong = sample(made.invalid)
      .filter((one) => !made.isValid(one))
      .map((one) => JSON.stringify(one));
    // An extra parameter, another value, and a missing one.
    expect(wrong.filter((one) => /"guest":{"age":-?\d+,"not_a_parameter"/.test(one)).length).toBeGreaterThan(0);
    expect(wrong.filter((one) => /"guest":{"age":(?!-?\d+[,}])/.test(one)).length).toBeGreaterThan(0);
    expect(wrong.filter((one) => /"guests":\[.*{}/.test(one)).length).toBeGreaterThan(0);
  });

  it('are not sent with a key that no server accepts, at any depth', () => {
    const made = createProbeArguments(members({ any: {} }));
    for (const given of ['{"__proto__":1}', '{"any":[{"a":{"__proto__":null}}]}'].map((text): unknown => JSON.parse(text))) {
      expect(made.isSendable(given)).toBe(false);
      expect(made.isValid(given)).toBe(false);
    }
    expect(made.isSendable({ any: '__proto__', proto: 1 })).toBe(true);
    expect(made.isSendable({ wrong: 1 })).toBe(true);
  });

  it('include edge cases', () => {
    const made = createProbeArguments(members({ text: { type: 'string' }, count: { type: 'integer' }, any: {} }));
    const given = fc.sample(made.valid, { numRuns: 1_000, seed: 1 });
    const texts = new Set(given.map(({ text }) => text));
    expect(texts).toContain('');
    expect([...texts].some((text) => /[^ -~]/u.test(String(text)))).toBe(true);
    const lengths = new Set([...texts].map((text) => String(text).length));
    expect([...lengths].filter((length) => length === 1_000 || length === 65_536)).toHaveLength(2);
    expect([...lengths].filter((length) => length > 10 && length < 1_000).length).toBeGreaterThan(20);
    const counts = new Set(given.map(({ count }) => count));
    for (const edge of [0, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) expect(counts).toContain(edge);
    expect(Math.max(...given.map(depthOf))).toBeGreaterThan(20);
  });

  it('include the bounds', () => {
    const made = createProbeArguments(
      members({ text: { type: 'string', minLength: 5, maxLength: 2_000 }, count: { type: 'integer', minimum: 10 } }),
    );
    const given = fc.sample(made.valid, { numRuns: 300, seed: 1 });
    const lengths = given.map(({ text }) => Array.from(String(text)).length);
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([5, 2_000]);
    expect(new Set(given.map(({ count }) => count))).toContain(10);
  });

  it.each([
    ['a tree', TREE],
    ['an expression', EXPRESSION],
  ])('are nested where the schema is nested: %s', (_name, schema) => {
    const depths = sample(createProbeArguments(schema).valid).map(depthOf);
    expect(Math.max(...depths)).toBeGreaterThan(20);
    expect(depths.filter((depth) => depth < 10).length).toBeGreaterThan(100);
  });

  it('count defaults as present', () => {
    const made = createProbeArguments({ type: 'object', required: ['n'], properties: { n: { type: 'integer', default: 3 } } });
    expect(made.isValid({})).toBe(true);
    expect(made.isValid({ n: 'x' })).toBe(false);
  });

  it('are reported as guesses for a pattern that cannot be generated, and use its examples', () => {
    const schema = members({ twice: { type: 'string', pattern: '^(.{9})\\1$' } });
    const made = createProbeArguments(schema);
    expect(sample(made.valid).some((one) => made.isValid(one))).toBe(false);
    expect([...made.notes]).toEqual([expect.stringContaining('"^(.{9})\\\\1$" cannot be generated')]);
    const known = { twice: '123456789123456789' };
    expect(sample(createProbeArguments(schema, [known, { twice: 'no' }, 7]).valid)).toContainEqual(known);
  });

  it('do not exist for an endlessly recursive schema, with a note', () => {
    const made = createProbeArguments(members({ a: { $ref: '#/$defs/A' } }, { $defs: ENDLESS }));
    expect(sample(made.valid).some((one) => made.isValid(one))).toBe(false);
    expect([...made.notes].join()).toContain('requires itself endlessly');
    expect(createProbeArguments({ type: 'object', properties: { a: { enum: [] } } }).fault).toContain('non-empty');
  });
});

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
}
