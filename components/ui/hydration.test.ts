import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHydration } from './hydration.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('nothing held: calls back at once', () => {
  const done = vi.fn();
  createHydration().whenDone(done);
  expect(done).toHaveBeenCalledOnce();
});

test('calls back once, when the last part is released', () => {
  const done = vi.fn();
  const hydration = createHydration();
  const [first, second] = [hydration.hold(), hydration.hold()];
  hydration.whenDone(done);
  first();
  first();
  expect(done).not.toHaveBeenCalled();
  second();
  hydration.hold()();
  vi.runAllTimers();
  expect(done).toHaveBeenCalledOnce();
});

test('a part whose script does not load does not hold the page for ever', () => {
  const done = vi.fn();
  const hydration = createHydration();
  hydration.hold();
  hydration.whenDone(done, 100);
  vi.advanceTimersByTime(99);
  expect(done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(done).toHaveBeenCalledOnce();
});

test('what was taken back is not called', () => {
  const done = vi.fn();
  const hydration = createHydration();
  const release = hydration.hold();
  hydration.whenDone(done)();
  release();
  vi.runAllTimers();
  expect(done).not.toHaveBeenCalled();
});
