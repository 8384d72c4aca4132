import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { issuesOf } from './validation-messages.ts';

function issues(schema: Record<string, unknown>, value: unknown) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  validate(value);
  return issuesOf(validate.errors ?? [], schema);
}

describe('issuesOf', () => {
  it.each([
    [{ type: 'integer' }, 'x', 'Enter a whole number.'],
    [{ type: ['string', 'null'] }, 1, 'Enter text or null.'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }, 3.5, 'Enter a whole number.'],
    [{ anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] }, true, 'Enter text, a whole number or null.'],
    [
      { oneOf: [{ minimum: 9 }, { minimum: 1 }, { minimum: 2 }] },
      3,
      'This matches more than one of the accepted forms; it must match exactly one.',
    ],
    [{ enum: ['a', 2] }, 'b', 'Choose one of: a, 2.'],
    [{ type: 'string', enum: ['a', 'b'] }, 3, 'Choose one of: a, b.'],
    [{ type: 'string', const: 'a' }, 3, 'Only "a" is accepted here.'],
    [{ minimum: 1 }, 0, 'Enter 1 or more.'],
    [{ maximum: 14 }, 40, 'Enter 14 or less.'],
    [{ exclusiveMinimum: 0 }, 0, 'Enter more than 0.'],
    [{ multipleOf: 5 }, 3, 'Enter a multiple of 5.'],
    [{ minLength: 1 }, '', 'Enter some text.'],
    [{ maxLength: 2 }, 'abc', 'Enter at most 2 characters.'],
    [{ minItems: 1 }, [], 'Add items: at least 1 is needed.'],
    [{ uniqueItems: true }, [1, 1], 'Items 1 and 2 are equal. Items must be unique.'],
    [{ uniqueItems: true, items: { type: 'string' } }, ['a', 'a'], 'Items 1 and 2 are equal. Items must be unique.'],
    [{ not: { enum: ['bad', 2] } }, 'bad', 'Anything but bad, 2 is accepted here.'],
    [{ not: { const: 'bad' } }, 'bad', 'Anything but bad is accepted here.'],
    [{ format: 'email' }, 'x', 'Enter an e-mail address.'],
    [{ pattern: '^a$' }, 'b', 'Does not match the pattern ^a$.'],
    [{ const: 1 }, 2, 'Only 1 is accepted here.'],
    [{ not: { const: 'foo' } }, 'foo', 'Anything but foo is accepted here.'],
    [{ not: { enum: ['a', 2] } }, 2, 'Anything but a, 2 is accepted here.'],
    [{ not: { pattern: '^a' } }, 'ab', 'Must not match the pattern ^a.'],
    [{ not: { type: 'string' } }, 'a', 'Anything but text is accepted here.'],
    [{ not: { required: ['a'] } }, { a: 1 }, 'Leave out a.'],
    [{ not: { required: ['a', 'b'] } }, { a: 1, b: 2 }, 'Not all of these can be given at once: a, b.'],
    [{ not: { minimum: 1, maximum: 3 } }, 2, 'This is not accepted here.'],
    [{ not: true }, 2, 'This is not accepted here.'],
    [{ contains: { minimum: 10 } }, [3, 4], 'At least 1 item must follow this rule: Enter 10 or more.'],
    [{ contains: { required: ['a'] }, minContains: 2 }, [{}], 'At least 2 items must follow this rule: a: This is required. Fill it in.'],
    [{ contains: { type: 'string' } }, [], 'An item of the required kind is missing.'],
    [{ contains: true, maxContains: 1 }, [1, 2], 'At most 1 item of this kind is accepted here.'],
  ])('says what to do about %j', (schema, value, message) => {
    expect(issues(schema, value)).toEqual([{ path: '', message }]);
  });

  it('reports missing and unknown names at the name', () => {
    expect(issues({ properties: { 'a/b': {} }, required: ['a/b'], additionalProperties: false }, { ctiy: 1 })).toEqual([
      { path: '/a~1b', message: 'This is required. Fill it in.' },
      { path: '/ctiy', message: 'The tool does not know this name. Remove it.' },
    ]);
  });

  it('reports an invalid name at the name', () => {
    const map = { propertyNames: { enum: ['red', 'blue'] }, additionalProperties: { type: 'integer' } };
    expect(issues(map, { green: 'x' })).toEqual([
      { path: '/green/~name', message: 'Choose one of: red, blue.' },
      { path: '/green', message: 'Enter a whole number.' },
    ]);
    expect(issues({ propertyNames: false }, { a: 1 })).toEqual([{ path: '/a/~name', message: 'This is not accepted here.' }]);
  });

  it('reports the errors of the closest form of a union', () => {
    const union = {
      properties: {
        shape: {
          oneOf: [
            { type: 'object', required: ['radius'], properties: { kind: { const: 'circle' }, radius: { type: 'number' } } },
            { type: 'object', required: ['side'], properties: { kind: { const: 'square' }, side: { type: 'number', minimum: 1 } } },
            { type: 'string' },
          ],
        },
      },
    };
    expect(issues(union, { shape: { kind: 'square', side: 0 } })).toEqual([{ path: '/shape/side', message: 'Enter 1 or more.' }]);
    const kinds = { path: '/shape/kind', message: 'Choose one of: circle, square.' };
    expect(issues(union, { shape: { kind: 'triangle', side: 0 } })).toEqual([kinds]);
  });

  it('reports the errors of the closest form of a union of references, also a recursive one', () => {
    const form = (kind: object, more: object, required: readonly string[]) => ({
      type: 'object',
      required: ['kind', ...required],
      properties: { kind, at: { $ref: '#/$defs/place' }, ...more },
      additionalProperties: false,
    });
    const schema = {
      properties: { it: { $ref: '#/$defs/any' } },
      $defs: {
        any: { oneOf: [{ $ref: '#/$defs/not' }, { $ref: '#/$defs/circle' }, { allOf: [{ $ref: '#/$defs/box' }] }] },
        not: form({ const: 'not' }, { of: { $ref: '#/$defs/any' } }, ['of']),
        circle: form({ const: 'circle' }, { radius: { type: 'number' } }, ['radius']),
        box: form({ enum: ['box'] }, { width: { type: 'number' } }, []),
        place: { type: 'object', required: ['x'] },
      },
    };
    const circle = { kind: 'circle', radius: 'wide' };
    const isWide = { path: '/it/radius', message: 'Enter a number.' };
    expect(issues(schema, { it: circle })).toEqual([isWide]);
    expect(issues(schema, { it: { ...circle, at: {} } })).toEqual([{ path: '/it/at/x', message: 'This is required. Fill it in.' }, isWide]);
    expect(issues(schema, { it: { kind: 'box', at: {} } })).toEqual([{ path: '/it/at/x', message: 'This is required. Fill it in.' }]);
    expect(issues(schema, { it: { kind: 'not', of: { kind: 'not', of: circle } } })).toEqual([{ ...isWide, path: '/it/of/of/radius' }]);
  });

  it('names all alternatives if one of several is required', () => {
    const either = { anyOf: [{ required: ['id'] }, { required: ['name'] }] };
    expect(issues(either, {})).toEqual([{ path: '/id', message: 'Fill in id or name.' }]);
    expect(issues({ properties: { it: either } }, { it: {} })).toEqual([{ path: '/it/id', message: 'Fill in id or name.' }]);
    expect(issues({ oneOf: [{ required: ['a', 'b'] }, { required: ['c'] }] }, { a: 1 })).toEqual([
      { path: '/a', message: 'Fill in a and b, or c.' },
    ]);
    expect(issues({ oneOf: either.anyOf }, { id: 1, name: 2 })).toEqual([
      { path: '', message: 'Only one of these is accepted: id or name. Remove the others.' },
    ]);
  });
});
