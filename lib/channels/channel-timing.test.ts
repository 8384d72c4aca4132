import { expect, it } from 'vitest';
import { backoffMs } from './channel-timing.ts';

it('waits a second, then twice as long each time, at most a minute', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => backoffMs(failures, () => 0));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it('adds at most ten percent, and never exceeds a minute', () => {
  expect(backoffMs(1, () => 1)).toBe(1_100);
  expect(backoffMs(6, () => 1)).toBe(35_200);
  expect(backoffMs(9, () => 1)).toBe(60_000);
});
