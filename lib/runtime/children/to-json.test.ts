import { expect, it } from 'vitest';
import { toJsonText } from './to-json.ts';

function* counting() {
  yield 1;
}

async function* arriving() {
  yield await Promise.resolve(1);
}

it.each([
  ['a generator', counting()],
  ['an asynchronous generator', arriving()],
  ['the keys of a Map', new Map([['a', 1]]).keys()],
  ['the values of a Set', new Set([1]).values()],
])('refuses %s, which would read as an empty object', (_, value) => {
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
  ['a WeakMap', new WeakMap(), 'does not tell what it holds'],
])('says what to return instead of %s, which would read as an empty object', (_, value, words) => {
  expect(toJsonText([value], 1_000)).toMatchObject({ ok: false, message: expect.stringContaining(words) as unknown });
});

it('shows what headers and the parameters of an address hold', () => {
  expect(toJsonText({ headers: new Headers({ A: 'b' }), query: new URLSearchParams({ c: 'd' }) }, 1_000)).toMatchObject({
    text: '{"headers":{"a":"b"},"query":"c=d"}',
  });
});
