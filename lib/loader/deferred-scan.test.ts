import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDeferredScan, type DeferredScan } from './deferred-scan.ts';

let scans: number;
let scanned: string[];
let steps: string[];
let stepMs: number;
let deferred: DeferredScan;

beforeEach(() => {
  vi.useFakeTimers();
  scans = 0;
  scanned = [];
  steps = ['all'];
  stepMs = 0;
  deferred = createDeferredScan(
    async () => {
      scans += 1;
      return steps;
    },
    async (step) => {
      scanned.push(step);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
    },
  );
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

it('is not delayed forever by continuous saves', async () => {
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

it('pauses between two steps for a save and the first call after it', async () => {
  steps = ['a', 'b', 'c'];
  stepMs = 10;
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(105);
  expect(scanned).toEqual(['a']);
  deferred.rest();
  await vi.advanceTimersByTimeAsync(99);
  expect(scanned).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(20);
  expect(scanned).toEqual(['a', 'b', 'c']);
});

it('continues its steps despite continuous saves', async () => {
  steps = ['a', 'b', 'c'];
  deferred.schedule();
  for (let save = 0; save < 40; save += 1) {
    await vi.advanceTimersByTimeAsync(50);
    deferred.rest();
  }
  expect(scanned).toEqual(['a', 'b', 'c']);
});

it('scans again only after twenty times the duration of the last scan', async () => {
  stepMs = 50;
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(200);
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(999);
  expect(scans).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(scans).toBe(2);
});

it('runs no further step after close', async () => {
  steps = ['a', 'b'];
  stepMs = 10;
  deferred.schedule();
  await vi.advanceTimersByTimeAsync(105);
  deferred.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(scanned).toEqual(['a']);
});
