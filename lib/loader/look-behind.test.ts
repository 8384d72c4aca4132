import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLookBehind } from './look-behind.ts';
import type { LookBehind } from './look-behind.ts';

let looks: number;
let behind: LookBehind;

beforeEach(() => {
  vi.useFakeTimers();
  looks = 0;
  behind = createLookBehind(() => (looks += 1));
});
afterEach(() => {
  behind.close();
  vi.useRealTimers();
});

it('looks once, a moment after the last of some saves', async () => {
  behind.owe();
  await vi.advanceTimersByTimeAsync(60);
  behind.owe();
  await vi.advanceTimersByTimeAsync(99);
  expect(looks).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(looks).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(1);
});

it('is not put off for ever by saves that never end', async () => {
  for (let save = 0; save < 20; save += 1) {
    behind.owe();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(looks).toBe(2);
});

it('does not look when it was closed', async () => {
  behind.owe();
  behind.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(0);
});
