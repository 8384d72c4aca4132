import { describe, expect, it } from 'vitest';
import { parseCallError } from '../parse-child-message.ts';
import { invalidArguments, issuesOf } from './check-values.ts';
import { toIssues, nearestName } from './issues.ts';
import { createSchemaCompiler } from './validators.ts';

const compiler = createSchemaCompiler();

function issuesFor(schema: object, value: unknown) {
  const compiled = compiler.compile(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return toIssues(compiled.validate(value, false)).map(({ path, message }) => `${path} ${message}`);
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
    [properties({ n: { not: { const: 'foo' } } }), { n: 'foo' }, ['/n must not be "foo"']],
    [properties({ n: { not: { enum: ['a', 2] } } }), { n: 2 }, ['/n must not be any of "a", 2']],
    [properties({ n: { not: { pattern: '^a' } } }), { n: 'ab' }, ['/n must not match the pattern ^a']],
    [properties({}, { not: { required: ['a'] } }), { a: 1 }, [' must not have "a"']],
    [properties({}, { not: { required: ['a', 'b'] } }), { a: 1, b: 2 }, [' must not have all of "a", "b"']],
    [properties({ n: { not: { minimum: 1, maximum: 3 } } }), { n: 2 }, ['/n has a form that is not allowed']],
    [
      properties({ map: { propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'integer' } } }),
      { map: { a: 1, c: 2, b: 'x' } },
      ['/map/c is not an allowed name; it must be one of: "a", "b"', '/map/b must be a whole number, but it is a string'],
    ],
    [{ propertyNames: { pattern: '^x' } }, { a: 1 }, ['/a is not an allowed name; it must match the pattern ^x']],
    [{ propertyNames: false }, { a: 1 }, ['/a is not an allowed name']],
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
      ['/n matches more than one of the allowed forms; it must match exactly one'],
    ],
    [
      { type: 'object', oneOf: [properties({ a: {} }, { required: ['a'] }), properties({ b: { type: 'integer' } }, { required: ['b'] })] },
      { b: 'x' },
      ['/b must be a whole number, but it is a string'],
    ],
    [
      {
        type: 'object',
        anyOf: [
          properties({ kind: { const: 'circle' } }, { required: ['kind'] }),
          properties({ kind: { const: 'box' }, w: { type: 'number' }, h: { type: 'number' } }, { required: ['kind', 'w', 'h'] }),
        ],
      },
      { kind: 'box', w: '3' },
      ['/h is required, but it is missing', '/w must be a number, but it is a string'],
    ],
    [
      properties(
        { pay: { oneOf: [{ $ref: '#/$defs/card' }, { $ref: '#/$defs/debit' }] } },
        {
          $defs: {
            card: properties(
              { by: { const: 'card' }, to: { $ref: '#/$defs/place' }, year: { type: 'integer' } },
              { required: ['year'], additionalProperties: false },
            ),
            debit: properties(
              { by: { enum: ['debit'] }, to: { $ref: '#/$defs/place' }, iban: { type: 'string' } },
              { additionalProperties: false },
            ),
            place: properties({ city: { type: 'string' } }, { required: ['city'] }),
          },
        },
      ),
      { pay: { by: 'debit', to: {}, iban: 7 } },
      ['/pay/to/city is required, but it is missing', '/pay/iban must be a string, but it is a number'],
    ],
    [
      properties(
        { pet: { oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }, { $ref: '#/$defs/fish' }] } },
        {
          $defs: {
            cat: properties({ kind: { const: 'cat' }, lives: { type: 'integer' } }, { required: ['kind'] }),
            dog: properties({ kind: { const: 'dog' } }, { required: ['kind'] }),
            fish: properties({ kind: { enum: ['eel', 'fish'] }, fins: { type: 'integer' } }, { required: ['kind', 'fins'] }),
          },
        },
      ),
      { pet: { kind: 'bird', lives: 'x' } },
      ['/pet/kind must be one of: "cat", "dog", "eel", "fish"'],
    ],
    [
      properties({
        n: {
          anyOf: [
            { type: 'null' },
            properties({ by: { const: 'a' }, unit: { enum: ['m', 'km'] } }),
            properties({ by: { const: 'b' }, unit: { enum: ['m', 'km'] }, size: { type: 'number' } }),
          ],
        },
      }),
      { n: { by: 'b', unit: 'ft', size: 'x' } },
      ['/n/unit must be one of: "m", "km"', '/n/size must be a number, but it is a string'],
    ],
    [
      properties({ n: { oneOf: [{ minimum: 9 }, { minimum: 1 }, { minimum: 2 }] } }),
      { n: 3 },
      ['/n matches more than one of the allowed forms; it must match exactly one'],
    ],
    [properties({ n: { prefixItems: [{}, {}], items: false } }), { n: [1, 2, 3] }, ['/n must have 2 items or fewer']],
    [
      properties({ n: { items: [{}], additionalItems: false } }, { $schema: 'http://json-schema.org/draft-07/schema#' }),
      { n: [1, 2] },
      ['/n must have 1 item or fewer'],
    ],
    [properties({ n: { prefixItems: [{}], unevaluatedItems: false } }), { n: [1, 2, 3] }, ['/n must have 1 item or fewer']],
    [properties({ a: {}, b: {} }, { if: { required: ['a'] }, else: { required: ['b'] } }), {}, ['/b is required, but it is missing']],
    [properties({ n: { enum: ['a', 1, null] } }), { n: 'b' }, ['/n must be one of: "a", 1, null']],
    [
      properties({ n: { enum: Array.from({ length: 50 }, (_, at) => at) } }),
      { n: 'b' },
      [`/n must be one of: ${Array.from({ length: 20 }, (_, at) => at).join(', ')} and 30 more`],
    ],
    [properties({ n: { const: 'c'.repeat(200) } }), { n: 'b' }, [`/n must be "${'c'.repeat(99)}…`]],
    [
      properties({}, { additionalProperties: false }),
      { ['k'.repeat(1_000)]: 1 },
      [`/${'k'.repeat(499)}… is not a parameter of this tool; there are none`],
    ],
    [properties({ n: { type: 'string', format: 'date' } }), { n: 'tomorrow' }, ['/n must be a date such as "2026-01-31"']],
    [
      properties({ n: { minItems: 1, uniqueItems: true } }),
      { n: [1, 1] },
      ['/n must not contain duplicates (items 0 and 1 are equal, counted from 0)'],
    ],
    [properties({ n: { contains: { minimum: 10 } } }), { n: [3, 4] }, ['/n must contain an item of the required form: must be 10 or more']],
    [
      properties({ n: { contains: { properties: { kind: { const: 'a' } }, required: ['kind'] }, minContains: 2 } }),
      { n: [{ kind: 'a' }, { kind: 'b' }, {}] },
      ['/n must contain 2 items or more of the required form: /kind must be "a"'],
    ],
    [properties({ n: { contains: { type: 'string' } } }), { n: [] }, ['/n must contain an item of the required form']],
    [properties({ n: { contains: true, maxContains: 1 } }), { n: [1, 2] }, ['/n must contain 1 item or fewer of this form']],
  ])('are plain sentences (%j, %j)', (schema, value, expected) => {
    expect(issuesFor(schema, value)).toEqual(expected);
  });
});

it.each(['anyOf', 'oneOf'])('an issue of a union names its keyword: %s', (keyword) => {
  const compiled = compiler.compile(properties({ n: { [keyword]: [{ type: 'string' }, { type: 'null' }] } }));
  if (!compiled.ok) throw new Error(compiled.message);
  expect(toIssues(compiled.validate({ n: 3 }, false))).toMatchObject([
    { path: '/n', keyword, message: expect.stringContaining('a string or null') },
  ]);
});

describe('issues of very many errors', () => {
  const rows = (length: number, of: unknown = 1) => ({ rows: Array.from({ length }, () => of) });
  const list = (items: object) => properties({ rows: { type: 'array', items } });

  it('are the first hundred, also for unions', () => {
    const found = issuesFor(list({ anyOf: [{ type: 'string' }, { type: 'null' }] }), rows(10_000));
    expect(found).toHaveLength(100);
    expect(found.at(-1)).toBe('/rows/99 must be a string or null, but it is a number');
  });

  it.each([
    ['long lists of values', list({ enum: Array.from({ length: 6_000 }, (_, at) => `value ${at}`) }), rows(100)],
    ['values that are escaped', list({ enum: Array.from({ length: 500 }, () => '\u0001'.repeat(100)) }), rows(100)],
    [
      'names of megabytes',
      properties({}, { additionalProperties: false }),
      Object.fromEntries([1, 2, 3].map((at) => [`${at}${'~'.repeat(1_000_000)}`, 1])),
    ],
  ])("stay within the host's limit: %s", (_, schema, value) => {
    const compiled = compiler.compile(schema);
    if (!compiled.ok) throw new Error(compiled.message);
    const error = invalidArguments(issuesOf(compiled.validate, value, JSON.stringify(value)));
    expect(error.issues?.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(8_192);
    expect(parseCallError(Buffer.from(JSON.stringify(error)))).toEqual(error);
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
    [{ properties: { a: { pattern: '(' } } }, '/properties/a/pattern', 'Invalid regular expression'],
    [[], '', 'must be an object'],
  ])('that is invalid is reported with its location (%j)', (schema, path, words) => {
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
