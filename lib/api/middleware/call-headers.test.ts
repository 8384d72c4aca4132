import { expect, test } from 'vitest';
import { wantsAsync } from './call-headers.ts';

test.each([
  'respond-async',
  'Respond-Async',
  ' respond-async ',
  'respond-async;foo',
  'respond-async ; foo="a, b" ;; bar',
  'respond-async=""',
  'respond-async = ""',
  'wait=10, respond-async; x="y,z"',
  'handling=lenient,respond-async,wait=5',
  ',, respond-async',
  'foo="a \\" b, c", respond-async',
])('requests the running call: %s', (prefer) => {
  expect(wantsAsync(prefer)).toBe(true);
});

test.each([
  null,
  undefined,
  '',
  'respond-sync',
  'respond-async-later',
  'x-respond-async',
  'wait=10; respond-async',
  'foo="wait, respond-async, bar"',
  'foo="respond-async',
  'foo="a \\", respond-async, b"',
  'foo=respond-async',
  'respond-async=no',
  'respond-async=no, respond-async',
  '"respond-async"',
])('does not request the running call: %s', (prefer) => {
  expect(wantsAsync(prefer)).toBe(false);
});

test('a long header of quotes and spaces is parsed fast', () => {
  expect(wantsAsync(`${'" '.repeat(8_000)}, respond-async`)).toBe(true);
  expect(wantsAsync(' '.repeat(16_000))).toBe(false);
});
