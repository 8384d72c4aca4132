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
