import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from './validators.ts';

function filled(schema: unknown): unknown {
  const compiled = createSchemaCompiler().compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  const value = {};
  expect(compiled.validate(value, false)).toEqual([]);
  return value;
}

it('ignores a null default where null is invalid: many write it for "no default"', () => {
  const properties = { days: { type: 'integer', default: null }, unit: { type: ['string', 'boolean'], default: null } };
  expect(filled({ type: 'object', properties })).toEqual({});
});

it('fills in a default of null where null is valid, and all other defaults', () => {
  const properties = {
    any: { default: null },
    days: { type: ['integer', 'null'], default: null },
    place: { type: 'object', default: { type: 'town', default: null } },
    count: { type: 'integer', default: 3 },
  };
  expect(filled({ type: 'object', properties })).toEqual({ any: null, days: null, place: { type: 'town', default: null }, count: 3 });
});

it.each([
  ['/properties/a/enum', { properties: { a: { enum: [] } } }],
  [
    '/properties/enum/items/pattern',
    { properties: { enum: { type: 'array', items: { $ref: '#/$defs/b', pattern: '(' } } }, $defs: { b: {} } },
  ],
  ['/properties/a~1b/patternProperties', { properties: { 'a/b': { patternProperties: { '(': { $ref: '#' } } } } }],
  [
    '/anyOf/1/nullable',
    {
      anyOf: [
        { type: 'string', nullable: true },
        { nullable: true, default: { enum: [] } },
      ],
    },
  ],
])('reports the location of a schema that the compiler cannot use: %s', (path, schema) => {
  expect(createSchemaCompiler().compile(schema)).toMatchObject({ ok: false, path });
});

function faults(schema: unknown, value: unknown) {
  const compiled = createSchemaCompiler().compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate(value, false).map((error) => `${error.instancePath} ${error.keyword}`);
}

it('allows for rounding in multiples', () => {
  const schema = { type: 'object', properties: { price: { multipleOf: 0.01 } } };
  expect(faults(schema, { price: 19.99 })).toEqual([]);
  expect(faults(schema, { price: 1.005 })).toEqual(['/price multipleOf']);
});

it('ignores inherited properties of the object prototype', () => {
  const properties = { toString: { type: 'integer' }, constructor: { type: 'string' } };
  expect(faults({ type: 'object', properties }, {})).toEqual([]);
  expect(faults({ type: 'object', properties, required: ['constructor'] }, {})).toEqual([' required']);
  expect(faults({ type: 'object', properties }, { toString: 'x' })).toEqual(['/toString type']);
});

describe('a compiler that fills in no defaults', () => {
  const check = (schema: unknown, value: unknown) => {
    const compiled = createSchemaCompiler({ fillsDefaults: false }).compile(schema);
    if (!compiled.ok) throw new Error(compiled.message);
    const before = structuredClone(value);
    const errors = compiled.validate(value, false).map((error) => `${error.instancePath} ${error.keyword}`);
    expect(value).toEqual(before);
    return errors;
  };
  const page = { type: 'integer', default: 1 };

  it('leaves the value unchanged, at every depth', () => {
    const properties = {
      id: {},
      title: { default: null },
      page,
      inner: { properties: { page } },
      list: { items: { properties: { page } } },
    };
    expect(check({ type: 'object', properties }, { id: 1, inner: {}, list: [{}] })).toEqual([]);
  });

  it('requires only values without a default', () => {
    const schema = {
      properties: { page, id: {}, inner: { $ref: '#/$defs/Inner' } },
      required: ['page', 'id'],
      $defs: { Inner: { properties: { page, id: {} }, required: ['id', 'page'] } },
    };
    expect(check(schema, { id: 1, inner: { id: 1 } })).toEqual([]);
    expect(check(schema, { inner: {} })).toEqual([' required', '/inner required']);
    expect(check(schema, { id: 1, page: 'x' })).toEqual(['/page type']);
  });

  it('still requires properties that select a branch of a union or condition', () => {
    const text = { type: 'string', default: '' };
    const schema = { properties: { url: text, path: text }, oneOf: [{ required: ['url'] }, { required: ['path'] }] };
    expect(check(schema, { url: 'u' })).toEqual([]);
    expect(check(schema, { url: 'u', path: 'p' })).toEqual([' oneOf']);
    const branches = {
      oneOf: [
        { properties: { url: text }, required: ['url'] },
        { properties: { path: text }, required: ['path'] },
      ],
    };
    expect(check(branches, { path: 'p' })).toEqual([]);
  });

  it('ignores a default that violates its own schema', () => {
    expect(check({ properties: { days: { type: 'integer', default: 'many' } } }, {})).toEqual([]);
  });
});
