import { describe, expect, it } from 'vitest';
import { planForm } from './form-plan.ts';
import { canShow, startPayload, tidyPayload } from './payload.ts';
import { planOf } from './field-plan.ts';
import { matchOption, valueForOption } from './union-option.ts';
import { asSentence, byPath, inFormOrder, stillTrue } from './issues.ts';
import { pointerInWords, pointerOf, valueAt, withoutPointer } from './pointer.ts';
import { readNumber, stepped } from './number-text.ts';
import { dateOf, momentOf } from './date-text.ts';
import { readText } from './use-payload.ts';
import { createDrafts, withoutSecrets } from './drafts.ts';

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
  it('begins with nothing but what must be sent and can be known', () => {
    expect(startPayload(FORM)).toEqual({ who: {}, kind: 'trip' });
  });

  it('does not hold what was cleared', () => {
    expect(
      tidyPayload({ city: undefined, who: { name: 'Mia', age: undefined } }, { city: 'x', who: { name: 'Mia', age: 3 } }, FORM),
    ).toEqual({ who: { name: 'Mia' } });
  });

  it('drops an optional object that lost its last value, and keeps a required one', () => {
    expect(
      tidyPayload({ who: { name: undefined }, options: { fast: undefined } }, { who: { name: 'x' }, options: { fast: true } }, FORM),
    ).toEqual({ who: {} });
  });

  it('keeps an empty object and a null that were written by hand', () => {
    expect(tidyPayload({ city: 'a', options: {}, tags: null }, { options: {}, tags: null }, FORM)).toEqual({
      city: 'a',
      options: {},
      tags: null,
    });
  });

  it('begins a new text in a list as empty text, a new number as null until it is filled in', () => {
    expect(tidyPayload({ tags: ['a', undefined], counts: [1, null] }, { tags: ['a'], counts: [1] }, FORM)).toEqual({
      tags: ['a', ''],
      counts: [1, null],
    });
    expect(tidyPayload({ tags: [null] }, { tags: ['a'] }, FORM)).toEqual({ tags: [''] });
  });

  it('keeps a null in a list that may hold it', () => {
    expect(tidyPayload({ holes: [null] }, { holes: [1] }, FORM)).toEqual({ holes: [null] });
  });

  it('keeps names the form does not know', () => {
    expect(tidyPayload({ other: { a: [1, { b: null }] } }, {}, FORM)).toEqual({ other: { a: [1, { b: null }] } });
  });

  it('shows in a field only what the field can hold', () => {
    const city = planOf(FORM.properties?.['city'] as never);
    expect(city !== null && canShow(city, 3)).toBe(false);
    expect(city !== null && canShow(city, 'x')).toBe(true);
  });

  it('keeps a text that is no object, and what it was before', () => {
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
  const plan = planOf(
    planForm({
      type: 'object',
      properties: {
        shape: {
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
    }).properties?.['shape'] as never,
  );
  const options = plan?.options ?? [];

  it('names its forms', () => {
    expect(options.map((option) => option.title)).toEqual(['circle', 'square', 'Text']);
  });

  it('finds the form of a value', () => {
    expect(matchOption(options, { kind: 'square', side: 2 }, 0)).toBe(1);
    expect(matchOption(options, 'x', 0)).toBe(2);
    expect(matchOption(options, 5, 0)).toBe(-1);
    expect(matchOption(options, undefined, 1)).toBe(1);
    expect(matchOption(options, { colour: 'red' }, 1)).toBe(1);
  });

  it('keeps what both forms know when another is chosen', () => {
    const square = options[1];
    expect(square !== undefined && valueForOption(square, { kind: 'circle', radius: 2, colour: 'red' })).toEqual({
      kind: 'square',
      colour: 'red',
    });
  });
});

describe('issues', () => {
  it('stay while the value they speak of is the one that was sent', () => {
    const issues = [
      { path: '/a/0', message: 'x' },
      { path: '/b', message: 'y' },
    ];
    expect(stillTrue(issues, { a: [1], b: 2 }, { a: [1], b: 3 })).toEqual([issues[0]]);
    expect(stillTrue(issues, { a: [1] }, { a: [1] })).toHaveLength(2);
  });

  it('are gathered by place, each once', () => {
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

  it('stand in the order of the form', () => {
    expect(inFormOrder(['/z', '/b/10', '/b/2', '/a'], ['b', 'a'])).toEqual(['/b/2', '/b/10', '/a', '/z']);
  });

  it('are sentences at the field', () => {
    expect(asSentence('must be 1 or more')).toBe('Must be 1 or more.');
    expect(asSentence('is not known; did you mean "city"?')).toBe('Is not known; did you mean "city"?');
  });
});

describe('pointers', () => {
  it('name any path and find it again', () => {
    const value = { 'a/b': [{ '~': 1 }] };
    const pointer = pointerOf(['a/b', 0, '~']);
    expect(pointer).toBe('/a~1b/0/~0');
    expect(valueAt(value, pointer)).toBe(1);
    expect(valueAt(value, '/toString')).toBeUndefined();
    expect(pointerInWords(pointer)).toBe('a/b › 1 › ~');
  });

  it('take one value out and leave the rest', () => {
    expect(withoutPointer({ a: { b: 1, c: 2 }, d: [1, 2] }, '/a/b')).toEqual({ a: { c: 2 }, d: [1, 2] });
    expect(withoutPointer({ d: [1, 2] }, '/d/0')).toEqual({ d: [2] });
    expect(withoutPointer({ a: 1 }, '/b')).toEqual({ a: 1 });
  });
});

describe('typed values', () => {
  it('reads numbers as people write them', () => {
    expect(readNumber(' 12 ')).toEqual({ value: 12, problem: null });
    expect(readNumber('.5').value).toBe(0.5);
    expect(readNumber('').value).toBeUndefined();
    expect(readNumber('1,5').problem).toContain('1.5');
    expect(readNumber('12e').problem).toContain('not a number');
    expect(readNumber('9007199254740993').problem).toContain('exactly');
    expect(stepped(0.1, 0.2)).toBe(0.3);
  });

  it('knows days and moments, and what only looks like one', () => {
    expect(dateOf('2026-02-28')).toBe('2026-02-28');
    expect(dateOf('2026-02-30')).toBeNull();
    expect(momentOf('2026-01-31T09:30:00+02:00')?.toISOString()).toBe('2026-01-31T07:30:00.000Z');
    expect(momentOf('2026-01-31T09:30:00')).toBeNull();
  });
});

describe('drafts', () => {
  it('last as long as the page when the browser keeps nothing', () => {
    const drafts = createDrafts(() => {
      throw new Error('denied');
    });
    drafts.write('tool', 'payload', '{"a": 1}');
    expect(drafts.read('tool', 'payload')).toBe('{"a": 1}');
    expect(drafts.read('other', 'payload')).toBeNull();
  });

  it('never hold a secret', () => {
    const form = planForm({
      type: 'object',
      properties: {
        token: { type: 'string', format: 'password' },
        deep: { type: 'object', properties: { key: { type: 'string', writeOnly: true }, name: { type: 'string' } } },
      },
    });
    expect(withoutSecrets({ token: 's', deep: { key: 's', name: 'n' } }, form)).toEqual({ deep: { name: 'n' } });
  });
});
