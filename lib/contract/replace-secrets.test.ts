import { describe, expect, it } from 'vitest';
import { leaveOutAt, replaceSecrets } from './replace-secrets.ts';
import { placeIn, secretPlace } from './secret-places.ts';

const SECRET = { type: 'string', writeOnly: true };

function pathsOf(value: unknown, ...schemas: Readonly<Record<string, unknown>>[]): readonly string[] {
  const paths: string[] = [];
  replaceSecrets(value, { place: secretPlace(schemas), secret: ({ path }) => void paths.push(path) });
  return paths;
}

const property = (schema: unknown) => ({ type: 'object', properties: { a: schema } });

describe('a secret by its schema', () => {
  it.each<[string, Readonly<Record<string, unknown>>, unknown, readonly string[]]>([
    ['a property', property(SECRET), { a: 'x', b: 'y' }, ['/a']],
    ['a password', property({ format: 'password' }), { a: 'x' }, ['/a']],
    ['a number', property({ type: 'integer', writeOnly: true }), { a: 7 }, ['/a']],
    ['yes or no', property({ type: 'boolean', writeOnly: true }), { a: true }, ['/a']],
    ['nothing', property(SECRET), { a: null }, []],
    ['an entire object', property({ type: 'object', writeOnly: true }), { a: { b: 1 } }, ['/a']],
    ['all there is', { type: 'object', writeOnly: true }, { a: 1, b: 'x' }, ['/a', '/b']],
    ['$defs', { ...property({ $ref: '#/$defs/pin' }), $defs: { pin: SECRET } }, { a: 'x' }, ['/a']],
    ['definitions', { ...property({ $ref: '#/definitions/pin' }), definitions: { pin: SECRET } }, { a: 'x' }, ['/a']],
    ['an anchor', { ...property({ $ref: '#pin' }), $defs: { p: { $anchor: 'pin', ...SECRET } } }, { a: 'x' }, ['/a']],
    ['beside a reference', { ...property({ $ref: '#/$defs/pin', writeOnly: true }), $defs: { pin: {} } }, { a: 'x' }, ['/a']],
    ['anyOf', property({ anyOf: [SECRET, { type: 'null' }] }), { a: 'x' }, ['/a']],
    ['oneOf', property({ oneOf: [{ type: 'object', properties: { b: SECRET } }, { type: 'string' }] }), { a: { b: 'x' } }, ['/a/b']],
    ['allOf', { allOf: [property({}), property(SECRET)] }, { a: 'x' }, ['/a']],
    [
      'if, then',
      JSON.parse('{"if":{"properties":{"a":{"const":"x"}}},"then":{"properties":{"a":{"writeOnly":true}}}}'),
      { a: 'x' },
      ['/a'],
    ],
    ['else', { if: property({ const: 'y' }), else: property(SECRET) }, { a: 'x' }, ['/a']],
    ['patterns', { patternProperties: { '^k_': SECRET } }, { k_1: 'x', other: 'y' }, ['/k_1']],
    ['a pattern that is not run', { patternProperties: { '(a+)+$': SECRET } }, { b: 'x' }, ['/b']],
    ['further names', { properties: { b: {} }, additionalProperties: SECRET }, { a: 'x', b: 'y' }, ['/a']],
    ['unevaluated names', { allOf: [{ properties: { b: {} } }], unevaluatedProperties: SECRET }, { a: 'x', b: 'y' }, ['/a']],
    ['dependent schemas', { dependentSchemas: { b: property(SECRET) } }, { a: 'x', b: 1 }, ['/a']],
    ['dependencies', { dependencies: { b: property(SECRET) } }, { a: 'x', b: 1 }, ['/a']],
    ['items', property({ items: SECRET }), { a: ['x', null, 'y'] }, ['/a/0', '/a/2']],
    ['members of items', property({ items: property(SECRET) }), { a: [{ a: 'x' }] }, ['/a/0/a']],
    ['places', property({ prefixItems: [{}, SECRET], items: {} }), { a: [1, 'x', 2] }, ['/a/1']],
    ['places of old', property({ items: [{}, SECRET], additionalItems: {} }), { a: [1, 'x', 2] }, ['/a/1']],
    ['items behind places', property({ prefixItems: [{}], items: SECRET }), { a: [1, 'x', 'y'] }, ['/a/1', '/a/2']],
    ['itself, further down', { properties: { a: SECRET, child: { $ref: '#' } } }, { child: { child: { a: 'x' } } }, ['/child/child/a']],
    [
      'a circle of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a', ...property(SECRET) } } },
      { a: 'x' },
      ['/a'],
    ],
  ])('is found: %s', (_, schema, value, paths) => {
    expect(pathsOf(value, schema)).toEqual(paths);
  });

  it('is found when either of two revisions marks it', () => {
    expect(pathsOf({ a: 'x', b: 'y' }, property(SECRET), { properties: { b: SECRET } })).toEqual(['/a', '/b']);
    expect(pathsOf({ a: 'x' }, property({}), property(SECRET))).toEqual(['/a']);
  });

  it('takes the same time for many values of a schema with mutual references', () => {
    const parts = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `p${at}`,
        { anyOf: [{ $ref: `#/$defs/p${(at + 1) % 200}` }], properties: { child: { $ref: '#' }, a: SECRET } },
      ]),
    );
    const schema = { $ref: '#/$defs/p0', properties: { list: { items: { $ref: '#' } } }, $defs: parts };
    expect(pathsOf({ list: Array.from({ length: 20_000 }, () => ({ child: { a: 'x' } })) }, schema)).toHaveLength(20_000);
  });

  it('returns the allowed types', () => {
    const schema = { properties: { a: { anyOf: [{ type: 'integer' }, { type: ['null', 'boolean'] }] } } };
    expect(
      placeIn(new Map([[schema, schema]]))
        .at('a')
        .types.toSorted(),
    ).toEqual(['boolean', 'integer', 'null']);
  });
});

describe('replacing', () => {
  it('changes no name and nothing else, however names are spelled', () => {
    const value: unknown = JSON.parse('{"__proto__":{"token":"x"},"a/b~c":{"token":"y"},"n":1.5,"list":[true,null,{"c":"d"}]}');
    expect(JSON.stringify(replaceSecrets(value, { place: null, secret: ({ path }) => path }))).toBe(
      '{"__proto__":{"token":"/__proto__/token"},"a/b~c":{"token":"/a~1b~0c/token"},"n":1.5,"list":[true,null,{"c":"d"}]}',
    );
    expect(Reflect.get({}, 'token')).toBeUndefined();
  });

  it('replaces endlessly nested values, and does not fail', () => {
    let value: unknown = 'deep-down';
    for (let depth = 0; depth < 5_000; depth += 1) value = [value];
    expect(JSON.stringify(replaceSecrets(value, { place: null, secret: () => 'hidden' }))).not.toContain('deep-down');
  });

  it('removes members, and keeps the positions of items', () => {
    expect(leaveOutAt({ a: 'x', list: ['x', { b: 'x', c: 1 }] }, ['/a', '/list/0', '/list/1/b'])).toEqual({ list: [null, { c: 1 }] });
  });
});
