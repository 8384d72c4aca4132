import { describe, expect, it } from 'vitest';
import { planAt, planForm } from './form-plan.ts';
import { canShow, editPayload, matchOption, startPayload, valueForOption } from './payload.ts';
import { asSentence, byPath, nameOf, pointerInWords, pointerOf, unchangedIssues, valueAt, withoutPointer } from './issues.ts';
import { readNumber, stepped } from './json-text.ts';
import { readText } from './use-payload.ts';
import { isNamedSecret, maskSecrets, mayHoldSecrets, withoutSecrets } from './secrets.ts';

const FORM = planForm({
  type: 'object',
  required: ['who', 'kind'],
  properties: {
    city: { type: 'string', default: 'Lisbon' },
    who: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, age: { type: 'integer' } } },
    kind: { const: 'trip' },
    options: { type: 'object', properties: { fast: { type: 'boolean' } } },
    tags: { type: 'array', items: { type: 'string' } },
    counts: { type: 'array', items: { type: 'integer' } },
    holes: { type: 'array', items: { type: ['integer', 'null'] } },
  },
});

describe('the payload', () => {
  it('starts with only required constants', () => {
    expect(startPayload(FORM)).toEqual({ who: {}, kind: 'trip' });
  });

  it('omits cleared values', () => {
    expect(editPayload(FORM, { city: 'x', who: { name: 'Mia', age: 3 } }, ['city'], undefined)).toEqual({ who: { name: 'Mia', age: 3 } });
    expect(editPayload(FORM, { who: { name: 'Mia', age: 3 } }, ['who', 'age'], undefined)).toEqual({ who: { name: 'Mia' } });
  });

  it('drops an optional object that lost its last value, and keeps a required one', () => {
    expect(editPayload(FORM, { options: { fast: true } }, ['options', 'fast'], undefined)).toEqual({});
    expect(editPayload(FORM, { who: { name: 'x' } }, ['who', 'name'], undefined)).toEqual({ who: {} });
  });

  it('keeps an empty object and a null that were entered as JSON', () => {
    expect(editPayload(FORM, { options: {}, tags: null }, ['city'], 'a')).toEqual({ city: 'a', options: {}, tags: null });
  });

  it('starts an optional object with its constants, and drops it with its last value', () => {
    const shape = { type: 'object', required: ['kind', 'r'], properties: { kind: { const: 'circle' }, r: { type: 'number' } } };
    const form = planForm({ type: 'object', properties: { shape } });
    expect(editPayload(form, {}, ['shape', 'r'], 2)).toEqual({ shape: { kind: 'circle', r: 2 } });
    expect(editPayload(form, { shape: { kind: 'circle', r: 2 } }, ['shape', 'r'], undefined)).toEqual({});
  });

  it('leaves no holes in a list', () => {
    expect(editPayload(FORM, { tags: ['a', 'b'] }, ['tags', 0], undefined)).toEqual({ tags: ['', 'b'] });
    expect(editPayload(FORM, { counts: [1, 2] }, ['counts', 1], undefined)).toEqual({ counts: [1, null] });
    expect(editPayload(FORM, { holes: [1] }, ['holes', 0], null)).toEqual({ holes: [null] });
    const pair = planForm({
      type: 'object',
      properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] } },
    });
    expect(editPayload(pair, {}, ['pair', 1], 4)).toEqual({ pair: ['', 4] });
    expect(editPayload(pair, { pair: ['x', 4] }, ['pair', 1], undefined)).toEqual({ pair: ['x'] });
    expect(editPayload(pair, { pair: ['x'] }, ['pair', 0], undefined)).toEqual({});
  });

  it('adds names in the order of the form, and keeps names the form does not know', () => {
    expect(JSON.stringify(editPayload(FORM, { other: [1, { b: null }], tags: ['x'] }, ['city'], 'a'))).toBe(
      '{"other":[1,{"b":null}],"city":"a","tags":["x"]}',
    );
  });

  it('shows a value in a field only if the field can represent it', () => {
    const city = planAt({ root: {}, schema: { type: 'string' } }, undefined);
    expect(canShow(city, 3)).toBe(false);
    expect(canShow(city, 'x')).toBe(true);
  });

  it('keeps invalid text and the last valid object', () => {
    expect(readText('{"a": 1,', { a: 1 })).toMatchObject({ text: '{"a": 1,', payload: { a: 1 }, problem: { line: 1 } });
    expect(readText('[1]', { a: 1 })).toMatchObject({
      text: '[1]',
      payload: { a: 1 },
      problem: { message: expect.stringContaining('one JSON object') },
    });
    expect(readText('{"b": 2}', { a: 1 })).toEqual({ text: '{"b": 2}', payload: { b: 2 }, problem: null });
  });
});

describe('a union', () => {
  const { options } = planAt(
    {
      root: {},
      schema: {
        oneOf: [
          {
            type: 'object',
            required: ['kind', 'radius'],
            properties: { kind: { const: 'circle' }, radius: { type: 'number' }, colour: { type: 'string' } },
          },
          {
            type: 'object',
            required: ['kind', 'side'],
            properties: { kind: { const: 'square' }, side: { type: 'number' }, colour: { type: 'string' } },
          },
          { type: 'string' },
        ],
      },
    },
    undefined,
  );

  it('has titles for its options', () => {
    expect(options.map((option) => option.title)).toEqual(['circle', 'square', 'Text']);
  });

  it('finds the option that matches a value', () => {
    expect(matchOption(options, { kind: 'square', side: 2 }, 0)).toBe(1);
    expect(matchOption(options, 'x', 0)).toBe(2);
    expect(matchOption(options, 5, 0)).toBe(-1);
    expect(matchOption(options, undefined, 1)).toBe(1);
    expect(matchOption(options, { colour: 'red' }, 1)).toBe(1);
  });

  it('keeps shared properties when the option changes', () => {
    const square = options[1];
    expect(square !== undefined && valueForOption(square, { kind: 'circle', radius: 2, colour: 'red' })).toEqual({
      kind: 'square',
      colour: 'red',
    });
  });
});

describe('issues', () => {
  it('stay until the value they refer to changes', () => {
    const issues = [
      { path: '/a/0', message: 'x' },
      { path: '/b', message: 'y' },
    ];
    expect(unchangedIssues(issues, { a: [1], b: 2 }, { a: [1], b: 3 })).toEqual([issues[0]]);
    expect(unchangedIssues(issues, { a: [1] }, { a: [1] })).toHaveLength(2);
  });

  it('are grouped by path, without duplicates', () => {
    expect([
      ...byPath([
        { path: '/a', message: 'x' },
        { path: '/a', message: 'x' },
        { path: '', message: 'y' },
      ]),
    ]).toEqual([
      ['/a', ['x']],
      ['', ['y']],
    ]);
  });

  it('are shown as sentences at the field', () => {
    expect(asSentence('must be 1 or more')).toBe('Must be 1 or more.');
    expect(asSentence('is not known; did you mean "city"?')).toBe('Is not known; did you mean "city"?');
  });
});

describe('pointers', () => {
  it('encode any path and find its value', () => {
    const value = { 'a/b': [{ '~': 1 }] };
    const pointer = pointerOf(['a/b', 0, '~']);
    expect(pointer).toBe('/a~1b/0/~0');
    expect(valueAt(value, pointer)).toBe(1);
    expect(valueAt(value, '/toString')).toBeUndefined();
    expect(pointerInWords(pointer, value)).toBe('a/b › 1 › ~');
    expect(pointerInWords('/codes/200', { codes: { 200: 'x' } })).toBe('codes › 200');
    expect(pointerInWords(nameOf('/codes/200'), { codes: { 200: 'x' } })).toBe('the name of codes › 200');
  });

  it('remove one value and keep the rest', () => {
    expect(withoutPointer({ a: { b: 1, c: 2 }, d: [1, 2] }, '/a/b')).toEqual({ a: { c: 2 }, d: [1, 2] });
    expect(withoutPointer({ d: [1, 2] }, '/d/0')).toEqual({ d: [2] });
    expect(withoutPointer({ a: 1 }, '/b')).toEqual({ a: 1 });
  });
});

describe('typed values', () => {
  it('parses numbers, and says how to correct separators and decimal commas', () => {
    expect(readNumber(' 12 ')).toEqual({ value: 12, problem: null });
    expect(readNumber('.5').value).toBe(0.5);
    expect(readNumber('').value).toBeUndefined();
    expect(readNumber('1,5').problem).toBe('Write the number with a point: 1.5');
    expect(readNumber('0,001').problem).toBe('Write the number with a point: 0.001');
    expect(readNumber('1,000').problem).toBe('Write the number without separators: 1000. Decimals follow a point.');
    expect(readNumber('-12,345').problem).toBe('Write the number without separators: -12345. Decimals follow a point.');
    expect(readNumber('1,000,000.5').problem).toBe('Write the number without separators: 1000000.5.');
    expect(readNumber('1.234.567,8').problem).toBe('Write the number without separators: 1234567.8.');
    expect(readNumber('12\u202f000').problem).toBe('Write the number without separators: 12000.');
    expect(readNumber('1,00,000').problem).toBe('"1,00,000" is not a number.');
    expect(readNumber('1,000').value).toBeUndefined();
    expect(readNumber('12e').problem).toContain('not a number');
    expect(readNumber('9007199254740993')).toEqual({ value: 9007199254740993n, problem: null });
    expect(readNumber('+9007199254740993').value).toBe(9007199254740993n);
    expect(readNumber('9007199254740993.0').problem).toContain('exactly');
    expect(stepped(9007199254740993n, 1)).toBe(9007199254740994n);
    expect(stepped(0.1, 0.2)).toBe(0.3);
    expect(stepped(1_234_567_890_123, 1)).toBe(1_234_567_890_124);
  });
});

describe('drafts', () => {
  it('never hold a secret', () => {
    const form = planForm({
      type: 'object',
      properties: {
        token: { type: 'string', format: 'password' },
        deep: { type: 'object', properties: { key: { type: 'string', writeOnly: true }, name: { type: 'string' } } },
      },
    });
    expect(withoutSecrets({ token: 's', deep: { key: 's', name: 'n' } }, form)).toEqual({ deep: { name: 'n' } });
    expect(maskSecrets({ token: 's', deep: { key: null } }, form)).toEqual({ token: '••••••', deep: { key: null } });
    expect(withoutSecrets({ url: 'a://u:pw@h', list: ['a://u:pw@h', 'x'] }, form)).toEqual({ list: [null, 'x'] });
    expect(maskSecrets({ url: 'a://u:pw@h' }, form)).toEqual({ url: 'a://u:••••••@h' });
  });

  it('find secrets in lists, maps and union options', () => {
    const secret = { type: 'string', writeOnly: true };
    const form = planForm({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { key: secret } } },
        map: { type: 'object', additionalProperties: secret },
        either: { oneOf: [{ type: 'integer' }, secret] },
        pin: { type: 'integer', writeOnly: true },
      },
    });
    expect(withoutSecrets({ list: [{ key: 's', n: 1 }], map: { a: 's' }, either: 's', pin: 1 }, form)).toEqual({
      list: [{ n: 1 }],
      map: {},
    });
  });

  it('never contain values with a secret name', () => {
    const form = planForm({ type: 'object', properties: { password: { type: 'string' }, show_password: { type: 'boolean' } } });
    const payload = { password: 'p', show_password: true, headers: { authorization: 'a' }, next_page_token: 'n' };
    expect(withoutSecrets(payload, form)).toEqual({ show_password: true, headers: {}, next_page_token: 'n' });
    expect(mayHoldSecrets('{"password": "p', form)).toBe(true);
    expect(mayHoldSecrets('{"city": "p', form)).toBe(false);
  });

  it.each([
    ['password', 'text', undefined, true],
    ['password', 'object', { a: 1 }, true],
    ['show_password', 'boolean', undefined, false],
    ['tokens', 'integer', undefined, false],
    ['tokens', 'array', ['a'], true],
    [0, 'text', 'x', false],
  ] as const)('know a field by its name: %s, %s, %j: %s', (name, control, value, isSecret) => {
    expect(isNamedSecret(name, control, value)).toBe(isSecret);
  });
});
