import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHydration } from './hydration.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('calls back immediately if no part is pending', () => {
  const done = vi.fn();
  createHydration().whenDone(done);
  expect(done).toHaveBeenCalledOnce();
});

test('calls back once, when the last part has hydrated', () => {
  const done = vi.fn();
  const hydration = createHydration();
  const [first, second] = [hydration.markPending(), hydration.markPending()];
  hydration.whenDone(done);
  first();
  first();
  expect(done).not.toHaveBeenCalled();
  second();
  hydration.markPending()();
  vi.runAllTimers();
  expect(done).toHaveBeenCalledOnce();
});

test('calls back after a timeout if the script of a part does not load', () => {
  const done = vi.fn();
  const hydration = createHydration();
  hydration.markPending();
  hydration.whenDone(done, 100);
  vi.advanceTimersByTime(99);
  expect(done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(done).toHaveBeenCalledOnce();
});

test('does not call a cancelled callback', () => {
  const done = vi.fn();
  const hydration = createHydration();
  const release = hydration.markPending();
  hydration.whenDone(done)();
  release();
  vi.runAllTimers();
  expect(done).not.toHaveBeenCalled();
});
