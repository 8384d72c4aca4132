import { expect, it } from 'vitest';
import { createSchemaCompiler } from './validators.ts';

function filled(schema: unknown): unknown {
  const compiled = createSchemaCompiler().compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  const value = {};
  expect(compiled.validate(value, false)).toEqual([]);
  return value;
}

it('fills in no null where null does not fit: many write it for "no default"', () => {
  const properties = { days: { type: 'integer', default: null }, unit: { type: ['string', 'boolean'], default: null } };
  expect(filled({ type: 'object', properties })).toEqual({});
});

it('fills in null where it fits, and any other default', () => {
  const properties = {
    any: { default: null },
    days: { type: ['integer', 'null'], default: null },
    place: { type: 'object', default: { type: 'town', default: null } },
    count: { type: 'integer', default: 3 },
  };
  expect(filled({ type: 'object', properties })).toEqual({ any: null, days: null, place: { type: 'town', default: null }, count: 3 });
});

function faults(schema: unknown, value: unknown) {
  const compiled = createSchemaCompiler().compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate(value, false).map((error) => `${error.instancePath} ${error.keyword}`);
}

it('counts multiples as people do', () => {
  const schema = { type: 'object', properties: { price: { multipleOf: 0.01 } } };
  expect(faults(schema, { price: 19.99 })).toEqual([]);
  expect(faults(schema, { price: 1.005 })).toEqual(['/price multipleOf']);
});

it('takes a property for sent only where it was, whatever every object has by that name', () => {
  const properties = { toString: { type: 'integer' }, constructor: { type: 'string' } };
  expect(faults({ type: 'object', properties }, {})).toEqual([]);
  expect(faults({ type: 'object', properties, required: ['constructor'] }, {})).toEqual([' required']);
  expect(faults({ type: 'object', properties }, { toString: 'x' })).toEqual(['/toString type']);
});
