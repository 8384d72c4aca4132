import { AjvJsonSchemaValidator as SecondValidator } from '@modelcontextprotocol/client/validators/ajv';
import { AjvJsonSchemaValidator as FirstValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, it } from 'vitest';
import { agentOutputSchema, agentParameters, unreadableOutput } from './agent-schema.ts';
import type { JsonSchema } from './tool.ts';

const output = (more: JsonSchema): JsonSchema => ({ type: 'object', ...more });

/** Output schemas of tools, each with a valid result. */
const READABLE: readonly (readonly [string, JsonSchema, object])[] = [
  ['boolean properties', output({ properties: { any: true, none: false } }), { any: [1] }],
  ['a boolean for all items', output({ properties: { list: { type: 'array', items: true } } }), { list: [1, 'a'] }],
  [
    'a tuple of the newer draft',
    output({ properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false } } }),
    { pair: ['a'] },
  ],
  ['a list that need not hold', output({ properties: { list: { contains: { type: 'string' }, minContains: 0 } } }), { list: [1] }],
  [
    'an address',
    output({ $id: 'https://example.com/a', properties: { a: { $ref: 'https://example.com/a#/$defs/A' } }, $defs: { A: {} } }),
    { a: 1 },
  ],
  ['the same address again', output({ $id: 'https://example.com/a', properties: { a: { type: 'string' } } }), { a: 'x' }],
  ['an address within', output({ properties: { a: { $id: 'https://example.com/b', type: 'string' } } }), { a: 'x' }],
  ['the same address within', output({ properties: { a: { $id: 'https://example.com/b', type: 'integer' } } }), { a: 1 }],
  ['an anchor', output({ properties: { a: { $ref: '#here' } }, $defs: { A: { $anchor: 'here', type: 'string' } } }), { a: 'x' }],
  ['a boolean definition', output({ properties: { a: { $ref: '#/$defs/Any' } }, $defs: { Any: true } }), { a: 1 }],
  ['itself', output({ properties: { next: { $ref: '#' } } }), { next: { next: {} } }],
  ['names in `dependencies`', output({ $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'] } }), { a: 1, b: 1 }],
  ['a closed object', output({ additionalProperties: false, properties: { a: {} } }), { a: 1 }],
];

describe('an output schema for agents', () => {
  it.each([
    ['the first official client', new FirstValidator(), false],
    ['the second official client with a handshake', new SecondValidator(), false],
    ['the second official client, stateless', new SecondValidator(), true],
  ] as const)('is compiled by %s with all others, and accepts valid values', (_title, validator, isModern) => {
    for (const [what, schema, result] of READABLE) {
      const shown = agentOutputSchema(schema, isModern);
      expect(shown, what).not.toBeNull();
      expect(validator.getValidator(shown ?? {})(result), what).toMatchObject({ valid: true });
    }
  });

  it('is omitted when a reference is ambiguous', () => {
    const schema = output({ properties: { a: { $id: 'https://example.com/b', $ref: '#/$defs/A', $defs: { A: {} } } } });
    expect(unreadableOutput(schema)).toBe('it holds another schema with an `$id` of its own, at properties/a');
    expect(agentOutputSchema(schema, true)).toBeNull();
  });

  it('is omitted for the 2025 protocols when results may be other than objects', () => {
    expect(agentOutputSchema({ type: 'array' }, false)).toBeNull();
    expect(agentOutputSchema({ type: 'array' }, true)).toEqual({ type: 'array' });
  });
});

describe('parameters for agents', () => {
  it('use an object for each schema, and stay closed, for the 2025 protocols', () => {
    const schema = {
      type: 'object',
      properties: { value: true, never: false, list: { type: 'array', items: true }, either: { anyOf: [true, { type: 'string' }] } },
      additionalProperties: false,
      default: { value: true },
    };
    expect(agentParameters(schema, true)).toEqual(schema);
    expect(agentParameters(schema, false)).toEqual({
      ...schema,
      properties: { value: {}, never: { not: {} }, list: { type: 'array', items: {} }, either: { anyOf: [{}, { type: 'string' }] } },
    });
  });

  it.each<[JsonSchema, JsonSchema]>([
    [{}, { type: 'object' }],
    [{ type: 'object', properties: null, required: null }, { type: 'object' }],
    [
      { type: 'object', required: ['a', 7] },
      { type: 'object', required: ['a'] },
    ],
    [
      { type: 'object', properties: { a: 7, b: null } },
      { type: 'object', properties: { a: {}, b: {} } },
    ],
    [{ $schema: 7, type: 'object' }, { type: 'object' }],
  ])('%j are readable as %j', (schema, shown) => {
    expect(agentParameters(schema, false)).toEqual(shown);
  });
});
