import { expect, it } from 'vitest';
import { isMultiple } from './multiple-of.ts';

it.each([
  [19.99, 0.01],
  [0.3, 0.1],
  [123456789.01, 0.01],
  [-1.1, 0.1],
  [0, 0.5],
  [9007199254740990, 2],
])('%d is a multiple of %d', (value, step) => {
  expect(isMultiple(value, step)).toBe(true);
});

it.each([
  [1.005, 0.01],
  [0.35, 0.1],
  [123456789.015, 0.01],
  [1.5, 1],
  [9007199254740991, 2],
])('%d is no multiple of %d', (value, step) => {
  expect(isMultiple(value, step)).toBe(false);
});
