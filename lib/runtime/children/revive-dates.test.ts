import { expect, test } from 'vitest';
import { createDateReviver } from './revive-dates.ts';

const DATE = { type: 'string', format: 'date-time' };
const AT = '2026-03-01T00:00:00.000Z';
const at = new Date(AT);

test.each<readonly [what: string, schema: Record<string, unknown>, dates: readonly string[], given: unknown, arrives: unknown]>([
  ['a property', { properties: { a: DATE, b: DATE } }, ['/properties/a'], { a: AT, b: AT }, { a: at, b: AT }],
  ['a nullable property', { properties: { a: { ...DATE, type: ['string', 'null'] } } }, ['/properties/a'], { a: null }, { a: null }],
  ['a list', { properties: { a: { items: DATE } } }, ['/properties/a/items'], { a: [AT] }, { a: [at] }],
  ['a place in a tuple', { prefixItems: [{}, DATE] }, ['/prefixItems/1'], [AT, AT], [AT, at]],
  ['the values of a record', { additionalProperties: DATE }, ['/additionalProperties'], { x: AT }, { x: at }],
  [
    'the values of pattern properties, in the matching alternative',
    {
      anyOf: [
        { type: 'object', properties: { id: { type: 'number' } }, additionalProperties: false },
        { type: 'object', properties: { a: { type: 'string' } }, patternProperties: { '^at-': DATE }, additionalProperties: false },
      ],
    },
    ['/anyOf/1/patternProperties/^at-'],
    { a: AT, 'at-1': AT },
    { a: AT, 'at-1': at },
  ],
  [
    'a recursive type',
    { $ref: '#/$defs/S', $defs: { S: { properties: { at: DATE, next: { $ref: '#/$defs/S' } } } } },
    ['/$defs/S/properties/at'],
    { at: AT, next: { at: AT } },
    { at, next: { at } },
  ],
  ['a date or a number', { properties: { a: { anyOf: [DATE, { type: 'number' }] } } }, ['/properties/a/anyOf/0'], { a: AT }, { a: at }],
  [
    'text that may be a date',
    { properties: { a: { anyOf: [DATE, { type: 'string' }] } } },
    ['/properties/a/anyOf/0'],
    { a: AT },
    { a: AT },
  ],
  [
    'the matching alternative',
    {
      anyOf: [
        { type: 'object', properties: { kind: { const: 'text' }, v: { type: 'string' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'day' }, v: DATE }, required: ['kind'] },
      ],
    },
    ['/anyOf/1/properties/v'],
    { kind: 'day', v: AT },
    { kind: 'day', v: at },
  ],
  [
    'a key with the name of a prototype member',
    { properties: { a: DATE } },
    ['/properties/a'],
    { constructor: AT, a: AT },
    { constructor: AT, a: at },
  ],
])('finds %s', (_, schema, dates, given, arrives) => {
  // As in a program, no object occurs twice.
  expect(createDateReviver(JSON.parse(JSON.stringify(schema)), dates)(given)).toEqual(arrives);
});
