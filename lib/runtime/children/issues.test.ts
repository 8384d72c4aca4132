import { describe, expect, it } from 'vitest';
import { toIssues } from './issues.ts';
import { nearestName } from './nearest-name.ts';
import { createSchemaCompiler } from './validators.ts';

const compiler = createSchemaCompiler();

function issuesFor(schema: object, value: unknown) {
  const compiled = compiler.compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate(value) ? [] : toIssues(compiled.validate.errors ?? []).map(({ path, message }) => `${path} ${message}`);
}

const properties = (map: object, more: object = {}) => ({ type: 'object', properties: map, ...more });

describe('issues', () => {
  it.each([
    [
      properties({ city: {} }, { additionalProperties: false }),
      { citty: 1 },
      ['/citty is not a parameter of this tool; did you mean "city"?'],
    ],
    [
      properties({ city: {} }, { additionalProperties: false }),
      { wholly: 1 },
      ['/wholly is not a parameter of this tool; known are: "city"'],
    ],
    [properties({}, { additionalProperties: false }), { any: 1 }, ['/any is not a parameter of this tool; there are none']],
    [properties({ 'a/b': {} }, { required: ['a/b'] }), {}, ['/a~1b is required, but it is missing']],
    [properties({ n: { type: 'integer' } }), { n: 1.5 }, ['/n must be a whole number, but it is the number 1.5']],
    [properties({ n: { type: ['string', 'null'] } }), { n: [] }, ['/n must be a string or null, but it is a list']],
    [properties({ n: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), { n: 3 }, ['/n must be a string or null, but it is a number']],
    [
      properties({ n: { anyOf: [{ type: 'null' }, properties({ size: { type: 'number' } }, { required: ['size'] })] } }),
      { n: { size: 'x' } },
      ['/n/size must be a number, but it is a string'],
    ],
    [
      properties({ n: { oneOf: [{ minimum: 1 }, { minimum: 2 }] } }),
      { n: 3 },
      ['/n fits more than one of the allowed forms; it must fit exactly one'],
    ],
    [properties({ n: { enum: ['a', 1, null] } }), { n: 'b' }, ['/n must be one of: "a", 1, null']],
    [properties({ n: { type: 'string', format: 'date' } }), { n: 'tomorrow' }, ['/n must be a date such as "2026-01-31"']],
    [
      properties({ n: { minItems: 1, uniqueItems: true } }),
      { n: [1, 1] },
      ['/n must not hold the same thing twice (items 0 and 1 are equal, counted from 0)'],
    ],
  ])('are in plain words (%j, %j)', (schema, value, expected) => {
    expect(issuesFor(schema, value)).toEqual(expected);
  });
});

describe('a schema', () => {
  it.each([
    [{ type: 'object', properties: { a: { type: 'numbr' } } }, '/properties/a/type', 'must be one of'],
    [{ type: 'object', properties: { a: { minimum: '3' } } }, '/properties/a/minimum', 'must be number'],
    [{ type: 'object', required: true }, '/required', 'must be array'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '/$schema', '2020-12'],
    [{ $async: true }, '/$async', 'Remove'],
    [{ properties: { a: { $ref: 'https://example.org/elsewhere' } } }, '', 'nothing is fetched'],
    [{ properties: { a: { $ref: '#/$defs/gone' } } }, '', '#/$defs/gone'],
    [{ properties: { a: { pattern: '(' } } }, '', 'Invalid regular expression'],
    [[], '', 'must be an object'],
  ])('that is none names the place (%j)', (schema, path, words) => {
    expect(compiler.compile(schema)).toMatchObject({ ok: false, path, message: expect.stringContaining(words) });
  });
});

describe('the nearest name', () => {
  it.each([
    ['citty', ['city', 'country'], 'city'],
    ['ctiy', ['city'], 'city'],
    ['CITY', ['city'], 'city'],
    ['zzzz', ['city'], null],
    ['x', [], null],
  ])('to %s among %j is %s', (wrong, known, expected) => {
    expect(nearestName(wrong, known)).toBe(expected);
  });
});
