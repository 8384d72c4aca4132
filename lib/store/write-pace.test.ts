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

it('waits on after a slow one now and then', () => {
  for (let second = 0; second < 60; second += 1) {
    pace.took(8);
    expect(pace.waits()).toBe(true);
    time += 1_000;
  }
});

it('leaves them to a thread after one that held everything up, for a hundred times as long as it took', () => {
  pace.took(0.1);
  pace.took(50);
  expect(pace.waits()).toBe(false);
  expect(waitsAgainAfter()).toBeGreaterThanOrEqual(3_000);
  pace.took(50);
  expect(waitsAgainAfter()).toBeGreaterThanOrEqual(5_000);
});

it('waits for slow ones in a hundredth of the time', () => {
  let waited = 0;
  while (time < 600_000) {
    if (pace.waits()) {
      pace.took(5);
      waited += 5;
    }
    time += 5;
  }
  expect(waited).toBeGreaterThan(5_000);
  expect(waited).toBeLessThan(6_200);
});

it('leaves them to a thread where they have become slow, and waits for some again to see whether they still are', () => {
  let waited = 0;
  for (; pace.waits(); waited += 1) pace.took(0.8);
  expect(waited).toBeLessThan(60);
  time += 5_000;
  let again = 0;
  for (; pace.waits(); again += 1) pace.took(0.8);
  expect(again).toBeGreaterThan(0);
  time += 5_000;
  for (let count = 0; count < 100; count += 1) pace.took(0.1);
  expect(pace.waits()).toBe(true);
});
