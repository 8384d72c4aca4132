import { expect, it } from 'vitest';
import { toJsonText } from './to-json.ts';

function* counting() {
  yield 1;
}

async function* arriving() {
  yield await Promise.resolve(1);
}

/** Not yet in the types of this project. */
function asked(of: object, method: string, given: unknown): unknown {
  const run: unknown = Reflect.get(of, method);
  return typeof run === 'function' ? Reflect.apply(run, of, [given]) : undefined;
}

/** Its values come from another source, as in a database cursor. */
class Cursor {
  at = 0;
  next() {
    return { done: true, value: undefined };
  }
  [Symbol.asyncIterator]() {
    return this;
  }
}

class Bag {
  *[Symbol.iterator]() {
    yield 1;
  }
}

it.each([
  ['the values of a list', [1].values()],
  ['the characters of a text', 'ab'[Symbol.iterator]()],
  ['the matches of a pattern', 'ab'.matchAll(/a/g)],
  ['the result of an iterator helper', asked([1, 2].values(), 'map', String)],
  ['a wrapped iterator', asked(Reflect.get(globalThis, 'Iterator') as object, 'from', { next: () => ({ done: true }) })],
  ['an iterator class with properties', new Cursor()],
  ['an object whose values are only accessible by iteration', new Bag()],
  ['the segments of a text', new Intl.Segmenter('en').segment('ab')],
  ['a generator', counting()],
  ['an asynchronous generator', arriving()],
  ['the keys of a Map', new Map([['a', 1]]).keys()],
  ['the values of a Set', new Set([1]).values()],
])('refuses %s, which would become an empty object', (_, value) => {
  expect(toJsonText({ value }, 1_000)).toMatchObject({
    ok: false,
    kind: 'result_not_serializable',
    message: expect.stringContaining('the value at /value is an iterator') as unknown,
  });
});

it.each([
  ['a Response', new Response('x'), 'await response.json()'],
  ['a stream', new Blob(['x']).stream(), 'is a stream'],
  ['a Blob', new Blob(['x']), 'await blob.text()'],
  ['a form', new FormData(), 'Object.fromEntries(form)'],
  ['a WeakMap', new WeakMap(), 'whose entries cannot be listed'],
])('suggests a replacement for %s, which would become an empty object', (_, value, words) => {
  expect(toJsonText([value], 1_000)).toMatchObject({ ok: false, message: expect.stringContaining(words) as unknown });
});

it('serializes iterables with own properties or `toJSON` by these', () => {
  const bag = Object.assign(new Bag(), { count: 1 });
  const withMethods = { toJSON: () => [1], *[Symbol.iterator]() {} };
  expect(toJsonText([bag, withMethods, [], new Map(), new Set([1]), Object.create(null)], 1_000)).toMatchObject({
    text: '[{"count":1},[1],[],{},[1],{}]',
  });
});

it('shows the entries of headers and URL parameters', () => {
  expect(toJsonText({ headers: new Headers({ A: 'b' }), query: new URLSearchParams({ c: 'd' }) }, 1_000)).toMatchObject({
    text: '{"headers":{"a":"b"},"query":"c=d"}',
  });
});
