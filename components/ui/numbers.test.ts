import { expect, test } from 'vitest';
import { inThousands } from './numbers.ts';

test('groups digits as in English', () => {
  for (const count of [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1_234, 1_234.5, 0.25])
    expect(inThousands(count)).toBe(count.toLocaleString('en'));
});

test('leaves other values unchanged', () => {
  expect([Infinity, NaN, 1e21].map(inThousands)).toEqual(['Infinity', 'NaN', '1e+21']);
});
