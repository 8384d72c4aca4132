import { beforeEach, expect, it } from 'vitest';
import { createWritePace } from './write-pace.ts';
import type { WritePace } from './write-pace.ts';

let time: number;
let pace: WritePace;

beforeEach(() => {
  time = 0;
  pace = createWritePace(() => time);
});

/** In milliseconds. */
function waitsAgainAfter(): number {
  const before = time;
  while (!pace.waits()) time += 1;
  return time - before;
}

it('waits for writes that are quick as a rule, though some are not', () => {
  for (let count = 0; count < 100; count += 1) pace.took(count % 10 === 0 ? 1.5 : 0.15);
  expect(pace.waits()).toBe(true);
});

it('leaves them to a thread for a hundred times as long as one took that held everything up', () => {
  pace.took(0.1);
  pace.took(50);
  expect(pace.waits()).toBe(false);
  expect(waitsAgainAfter()).toBeGreaterThanOrEqual(5_000);
});

it('leaves them to a thread where they have become slow, and waits for some again to see whether they still are', () => {
  let waited = 0;
  for (; pace.waits(); waited += 1) pace.took(0.8);
  expect(waited).toBeLessThan(20);
  expect(waitsAgainAfter()).toBeGreaterThan(500);
  for (let count = 0; count < 100; count += 1) pace.took(0.1);
  expect(pace.waits()).toBe(true);
});
