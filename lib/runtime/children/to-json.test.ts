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
