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
  'parts that are put together': {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'integer' } }, required: ['b'] },
    ],
  },
  recursion: TREE,
  'no parameters': { type: 'object', properties: {}, additionalProperties: false },
};

const sample = (arbitrary: fc.Arbitrary<unknown>) => fc.sample(arbitrary, { numRuns: 200, seed: 1 });

describe('made-up arguments', () => {
  it.each(Object.entries(SCHEMAS))('fit: %s', (_name, schema) => {
    const made = createProbeArguments(schema);
    const given = sample(made.valid);
    const fitting = given.filter((one) => made.isValid(one));
    expect(fitting.length).toBeGreaterThan(given.length * 0.9);
  });

  it.each(Object.entries(SCHEMAS).filter(([name]) => name !== 'parts that are put together'))(
    'do not fit where they should not: %s',
    (_name, schema) => {
      const made = createProbeArguments(schema);
      expect(sample(made.invalid).filter((one) => !made.isValid(one)).length).toBeGreaterThan(20);
    },
  );

  it('have the edges', () => {
    const made = createProbeArguments({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });
    const texts = new Set(sample(made.valid).map((one) => JSON.stringify(one)));
    expect(texts).toContain('{"text":""}');
    expect([...texts].some((text) => /[^ -~]/u.test(text))).toBe(true);
  });
});
