import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRunningCalls } from './running-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is quiet after a pause without calls', async () => {
  const calls = createRunningCalls();
  const isQuiet = settledFlag(calls.quiet(20, 500));
  await vi.advanceTimersByTimeAsync(19);
  expect(isQuiet()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isQuiet()).toBe(true);
});

it('waits for earlier calls and calls during the pause, also refused ones, and then for another pause', async () => {
  const calls = createRunningCalls();
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const answered = calls.count(first.promise);
  const isQuiet = settledFlag(calls.quiet(20, 500));
  await vi.advanceTimersByTimeAsync(30);
  first.resolve('answer');
  expect(await answered).toBe('answer');
  await vi.advanceTimersByTimeAsync(10);
  const refused = calls.count(second.promise).catch((error: unknown) => String(error));
  await vi.advanceTimersByTimeAsync(30);
  expect(isQuiet()).toBe(false);
  second.reject(new Error('refused'));
  expect(await refused).toBe('Error: refused');
  await vi.advanceTimersByTimeAsync(19);
  expect(isQuiet()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isQuiet()).toBe(true);
});

it('waits at most for its limit', async () => {
  const calls = createRunningCalls();
  void calls.count(new Promise(() => undefined));
  const isQuiet = settledFlag(calls.quiet(20, 500));
  await vi.advanceTimersByTimeAsync(499);
  expect(isQuiet()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isQuiet()).toBe(true);
});

function settledFlag(promise: Promise<void>): () => boolean {
  let isTold = false;
  void promise.then(() => (isTold = true));
  return () => isTold;
}
