import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isMultiple } from './multiple-of.ts';

it.each([
  [19.99, 0.01],
  [0.3, 0.1],
  [-4.35, 0.05],
  [12_345_678_901.23, 0.01],
  [1e-7, 1e-8],
  [1e300, 1e299],
  [0, 0.1],
  [-0, 3],
  [9, -3],
  [7.5, 2.5],
])('%d is a multiple of %d', (value, step) => expect(isMultiple(value, step)).toBe(true));

it.each([
  [1.005, 0.01],
  [0.1 + 0.2, 0.1],
  [10, 3],
  [7, 2.5],
  [1e17, 0.3],
  [1, 0],
  [Number.POSITIVE_INFINITY, 1],
  [Number.NaN, 1],
])('%d is not a multiple of %d', (value, step) => expect(isMultiple(value, step)).toBe(false));

const cents = (most: number) => fc.integer({ min: -most, max: most });

it('accepts every amount of cents, of any size', () => {
  fc.assert(
    fc.property(cents(10 ** 14), (amount) => {
      expect(isMultiple(amount / 100, 0.01)).toBe(true);
    }),
  );
});

it('refuses numbers with one more decimal', () => {
  fc.assert(
    fc.property(cents(10 ** 11), (amount) => {
      expect(isMultiple((amount * 10 + 3) / 1_000, 0.01)).toBe(false);
    }),
  );
});
