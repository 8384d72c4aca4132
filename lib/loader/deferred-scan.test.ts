import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDeferredScan } from './deferred-scan.ts';
import type { DeferredScan } from './deferred-scan.ts';

let scans: number;
let deferred: DeferredScan;

beforeEach(() => {
  vi.useFakeTimers();
  scans = 0;
  deferred = createDeferredScan(() => (scans += 1));
});
afterEach(() => {
  deferred.close();
  vi.useRealTimers();
});

it('scans once, a moment after the last of several saves', async () => {
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(60);
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(99);
  expect(scans).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(scans).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(scans).toBe(1);
});

it('is not delayed for ever by saves that never end', async () => {
  for (let save = 0; save < 20; save += 1) {
    deferred.schedule();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(scans).toBe(2);
});

it('does not scan after close', async () => {
  deferred.schedule();
  deferred.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(scans).toBe(0);
});
