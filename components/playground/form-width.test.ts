import { expect, it } from 'vitest';
import { parseFormWidth } from './form-width.ts';

it.each([
  [null, 50],
  ['', 50],
  ['wide', 50],
  ['42', 42],
  ['3', 30],
  ['900', 70],
])('reads the cookie %s as a width of %s percent', (cookie, width) => {
  expect(parseFormWidth(cookie)).toBe(width);
});
