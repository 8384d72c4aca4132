import { expect, test } from 'vitest';
import '#lib/contract/exact-json.ts';
import { normaliseOutputSchema, normaliseParameters } from './normalise-parameters.ts';

function accepted(parameters: unknown) {
  const outcome = normaliseParameters(parameters);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome;
}

function refused(parameters: unknown) {
  const outcome = normaliseParameters(parameters);
  if (outcome.ok) throw new Error('The parameters were accepted.');
  return outcome;
}

test('accepts integers beyond 2^53: as doubles in limits, exactly in values', () => {
  const big = { type: 'integer', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n, default: 2n ** 60n + 1n, enum: [2n ** 60n + 1n] };
  const read = { ...big, minimum: -(2 ** 63), maximum: 2 ** 63 };
  expect(accepted({ type: 'object', properties: { big } })).toEqual({
    ok: true,
    schema: { type: 'object', properties: { big: read } },
    warnings: [],
  });
  const value = { type: 'object', default: { maximum: 2n ** 60n + 1n } };
  expect(accepted({ big, value })).toMatchObject({ schema: { properties: { big: read, value } }, warnings: [] });
  expect(normaliseOutputSchema({ properties: { big } })).toMatchObject({ ok: true, schema: { properties: { big: read } } });
});

test('turns the shorthand into a closed schema and keeps other JSON Schema keywords', () => {
  const { schema, warnings } = accepted({
    city: { type: 'string', description: 'Where', required: true, minLength: 2, pattern: '^\\p{L}', 'x-order': 1 },
    days: { type: 'int', default: 3, required: true, minimum: 1 },
    unit: { type: 'string', enum: ['C', 'F'], required: false },
    factor: { type: 'float' },
    loud: { type: 'bool' },
    maybe: { type: ['int', 'null'] },
  });
  expect(schema).toEqual({
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Where', minLength: 2, pattern: '^\\p{L}', 'x-order': 1 },
      days: { type: 'integer', default: 3, minimum: 1 },
      unit: { type: 'string', enum: ['C', 'F'] },
      factor: { type: 'number' },
      loud: { type: 'boolean' },
      maybe: { type: ['integer', 'null'] },
    },
    required: ['city'],
    additionalProperties: false,
  });
  expect(warnings).toEqual([]);
});

test('converts nested items and properties, and closes nested objects', () => {
  const { schema } = accepted({
    stops: { type: 'array', items: { type: 'object', properties: { at: { type: 'int', required: true }, note: { type: 'string' } } } },
    open: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true, required: true },
    listed: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'bool', required: true } }, required: ['a'] },
    one: { anyOf: [{ type: 'int' }, { type: 'string' }] },
  });
  expect(schema).toMatchObject({
    required: ['open'],
    properties: {
      stops: {
        type: 'array',
        items: {
          type: 'object',
          properties: { at: { type: 'integer' }, note: { type: 'string' } },
          required: ['at'],
          additionalProperties: false,
        },
      },
      open: { properties: { a: { type: 'string' } }, additionalProperties: true },
      listed: { required: ['a', 'b'], additionalProperties: false },
      one: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    },
  });
});

test('an unknown type word becomes string with a warning', () => {
  const { schema, warnings } = accepted({ city: { type: 'strng' }, list: { type: 'array', items: { type: 'dict' } } });
  expect(schema).toMatchObject({ properties: { city: { type: 'string' }, list: { items: { type: 'string' } } } });
  expect(warnings).toEqual([
    'parameters/city: the type "strng" is unknown and was treated as string. Did you mean "string"?',
    'parameters/list/items: the type "dict" is unknown and was treated as string.',
  ]);
});

test('an unknown key is kept, with a warning if a similar keyword exists', () => {
  const { schema, warnings } = accepted({
    days: { type: 'int', min: 1, max: 7, step: 1 },
    name: { type: 'string', min: 2, max_length: 40, patern: '^a', regexp: '^a' },
    stops: { type: 'array', max: 3, items: { type: 'string', options: ['a'] }, uniqeItems: true },
    both: { type: 'number', min: 1, minimum: 1, 'x-order': 1, unit: 'cm', example: 3, desc: 'How far', Default: 2 },
    inner: { type: 'object', properties: { depth: { type: 'number', Minimum: 1 } } },
  });
  expect(schema).toMatchObject({ properties: { days: { type: 'integer', min: 1, max: 7 }, both: { unit: 'cm' } } });
  const says = (place: string, key: string, meant: string): string =>
    `parameters/${place}: \`${key}\` is not a JSON Schema keyword and has no effect; did you mean \`${meant}\`?`;
  expect(warnings).toEqual([
    says('days', 'min', 'minimum'),
    says('days', 'max', 'maximum'),
    says('days', 'step', 'multipleOf'),
    says('name', 'min', 'minLength'),
    says('name', 'max_length', 'maxLength'),
    says('name', 'patern', 'pattern'),
    says('name', 'regexp', 'pattern'),
    says('stops/items', 'options', 'enum'),
    says('stops', 'max', 'maxItems'),
    says('stops', 'uniqeItems', 'uniqueItems'),
    says('both', 'example', 'examples'),
    says('both', 'desc', 'description'),
    says('both', 'Default', 'default'),
    says('inner/properties/depth', 'Minimum', 'minimum'),
  ]);
});

test('distinguishes the two styles by shape', () => {
  expect(accepted({}).schema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  expect(accepted({ type: 'object' }).schema).toEqual({ type: 'object' });
  expect(accepted({ type: { type: 'string' } }).schema).toMatchObject({
    properties: { type: { type: 'string' } },
    additionalProperties: false,
  });
  expect(accepted({ properties: { type: 'array', items: { type: 'int' } } }).schema).toMatchObject({
    properties: { properties: { type: 'array', items: { type: 'integer' } } },
  });
  expect(accepted({ required: { type: 'bool' }, items: { type: 'string', required: true } }).schema).toMatchObject({
    properties: { required: { type: 'boolean' } },
    required: ['items'],
  });
});

test('keeps a JSON Schema as it is, in both drafts', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
    required: ['a'],
    $defs: { a: { type: 'string' } },
    additionalProperties: true,
  };
  expect(accepted(schema).schema).toEqual(schema);
  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
  };
  expect(accepted(old).schema).toEqual(old);
  expect(refused({ ...old, $schema: undefined }).path).toEqual(['properties', 'pair', 'items']);
});

test('accepts the names of object members, and refuses __proto__', () => {
  const { schema } = accepted({ constructor: { type: 'string', required: true }, toString: { type: 'int' } });
  expect(schema).toMatchObject({ required: ['constructor'] });
  expect(Object.keys(Object(schema['properties']))).toEqual(['constructor', 'toString']);
  expect(refused(JSON.parse('{"__proto__": {"type": "string"}}')).path).toEqual(['__proto__']);
  expect(refused(JSON.parse('{"type": "object", "properties": {"__proto__": {}}}')).path).toEqual(['properties', '__proto__']);
  expect(Object.getPrototypeOf({})).not.toHaveProperty('type');
});

test.each<[string, unknown, (string | number)[], string, string?]>([
  ['a function', { '@@type': 'function' }, [], '`parameters` is a function; it must be an object.'],
  ['a list', [], [], '`parameters` is a list; it must be an object.'],
  ['nothing', undefined, [], '`parameters` is undefined; it must be an object.'],
  [
    'String in place of "string"',
    { city: { type: { '@@type': 'function' } } },
    ['city', 'type'],
    '`parameters/city/type` is a function; only JSON is allowed here.',
  ],
  [
    'a schema library',
    { '@@type': 'library schema' },
    [],
    '`parameters` is the object of a schema library, not JSON.',
    'Convert it where it is written, for example `parameters: z.toJSONSchema(schema)`.',
  ],
  [
    'a schema library for one parameter',
    { city: { '@@type': 'library schema' } },
    ['city'],
    '`parameters/city` is the object of a schema library; only JSON is allowed here.',
    'Convert the complete schema, for example `parameters: z.toJSONSchema(z.object({ … }))`.',
  ],
  [
    'a string for a parameter',
    { city: 'string' },
    ['city'],
    '`parameters/city` is a string; a parameter is described by an object.',
    'Write `city: { type: "string", description: "…" }`.',
  ],
  ['one value', { type: 'string' }, ['type'], '`parameters/type` is "string", but the arguments of a tool are always one object.'],
  [
    'a missing type',
    { properties: { a: { type: 'string' } } },
    [],
    '`parameters` reads like JSON Schema whose `type: "object"` is missing.',
  ],
  [
    'a missing type beside required',
    { properties: { a: { type: 'string' } }, required: ['a'] },
    ['required'],
    '`parameters/required` is a list: this reads like JSON Schema whose `type: "object"` is missing.',
  ],
  [
    'required: true in JSON Schema',
    { type: 'object', properties: { city: { type: 'string', required: true } } },
    ['properties', 'city', 'required'],
    '`parameters/properties/city/required` is true, but in JSON Schema `required` is a list of names beside `properties`.',
    'Remove it here and write `required: ["city"]` beside the `properties` that has "city".',
  ],
  [
    'a type word in JSON Schema',
    { type: 'object', properties: { n: { type: 'int' } } },
    ['properties', 'n', 'type'],
    '`parameters/properties/n/type` is "int"; a type is one of string, integer, number, boolean, array, object, null.',
    'Did you mean "integer"?',
  ],
  [
    'an invalid value of required',
    { city: { type: 'string', required: 'yes' } },
    ['city', 'required'],
    '`parameters/city/required` is a string; it must be true or false.',
  ],
  [
    'items that are not a schema',
    { n: { type: 'array', items: 'string' } },
    ['n', 'items'],
    '`parameters/n/items` must be an object, or true or false.',
  ],
  [
    'an infinite bound',
    { n: { type: 'int', maximum: { '@@type': 'number', text: 'Infinity' } } },
    ['n', 'maximum'],
    '`parameters/n/maximum` is Infinity; only JSON is allowed here.',
  ],
  ['a bound that is not a number', { n: { type: 'int', minimum: '1' } }, ['n', 'minimum'], '`parameters/n/minimum` must be a number.'],
  [
    'a nested bound',
    { n: { type: 'array', items: { type: 'string', maxLength: -1 } } },
    ['n', 'items', 'maxLength'],
    '`parameters/n/items/maxLength` must be 0 or more.',
  ],
  [
    'a pattern',
    { n: { type: 'string', pattern: '(' } },
    ['n', 'pattern'],
    '`parameters/n/pattern` is not a regular expression (/(/u: Unterminated group).',
  ],
  [
    'a remote reference',
    { type: 'object', properties: { a: { $ref: 'https://example.org/a.json' } } },
    ['properties', 'a', '$ref'],
    '`parameters/properties/a/$ref` points outside of this schema ("https://example.org/a.json"); nothing is fetched.',
  ],
  [
    'a reference to a missing definition',
    { a: { $ref: '#/$defs/b' } },
    ['a', '$ref'],
    '`parameters/a/$ref` points to "#/$defs/b", which is not in this schema.',
  ],
  [
    'another dialect',
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' },
    ['$schema'],
    '`parameters/$schema` names an unknown dialect.',
  ],
])('refuses %s and reports the location', (_, parameters, path, message, hint) => {
  const outcome = refused(parameters);
  expect(outcome.path).toEqual(path);
  expect(outcome.message).toBe(message);
  if (hint !== undefined) expect(outcome.hint).toBe(hint);
});

test('limits the size, depth and number of schemas', () => {
  expect(refused({ a: { type: 'string', description: 'x'.repeat(66_000) } }).message).toContain('larger than 64 KiB');
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: 'int' }]));
  expect(refused(many).message).toContain('the limit of 1000 schemas');
  let deep: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < 40; level += 1) deep = { not: deep };
  expect(refused({ type: 'object', properties: { deep } }).message).toContain('more than 32 schemas deep');
  for (let level = 0; level < 5_000; level += 1) deep = { not: deep };
  expect(refused({ deep }).message).toContain('nested too deeply');
});

test('warns about probable mistakes', () => {
  expect(accepted({ a: { type: 'string', optional: false }, b: { type: 'string', optional: true } }).warnings.slice(0, 1)).toEqual([
    'parameters/a: `optional` is not a JSON Schema keyword and has no effect; write `required: true`.',
  ]);
  expect(accepted({ type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] }).warnings).toEqual([
    'parameters/required: "b" is required but is not a property.',
  ]);
  expect(
    accepted({ n: { type: 'int', default: '3' }, e: { enum: ['a'], default: 'b' }, any: { description: 'Whatever' } }).warnings,
  ).toEqual([
    'parameters/n/default: the default is a string, but the type is integer.',
    'parameters/e/default: the default is not one of the values that `enum` lists.',
    'parameters/any: it has no type and accepts any JSON.',
  ]);
});

test('undefined counts as absent', () => {
  expect(accepted({ a: { type: 'string', description: { '@@type': 'undefined' } } }).schema).toMatchObject({
    properties: { a: { type: 'string' } },
  });
});

test('output_schema is JSON Schema of any type', () => {
  expect(normaliseOutputSchema({ type: 'string' })).toMatchObject({ ok: true, schema: { type: 'string' } });
  expect(normaliseOutputSchema({ type: 'strin' })).toMatchObject({ ok: false, path: ['type'] });
  expect(normaliseOutputSchema('string')).toMatchObject({ ok: false, message: '`output_schema` is a string; it must be a JSON Schema.' });
});
