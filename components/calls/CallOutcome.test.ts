import { expect, it } from 'vitest';
import { reservedHeight } from './CallOutcome.tsx';

it.each([
  ['one line', 'hello', null],
  ['nothing', null, null],
  ['an object with two members', { a: 1, b: 'two' }, 'min(172px, calc(60dvh + 112px))'],
  ['nested lists', [[1], [2]], 'min(212px, calc(60dvh + 112px))'],
  ['a value longer than any window', Array.from({ length: 1_000_000 }, () => 0), 'min(2112px, calc(60dvh + 112px))'],
])('reserves the height of %s', (_, value, height) => {
  expect(reservedHeight(value)).toBe(height);
});
