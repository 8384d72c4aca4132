import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useRest } from './ListLink.tsx';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));

it('is true after a rest, not for a passing pointer', async () => {
  const { result } = renderHook(useRest);
  result.current.approach();
  await wait(30);
  result.current.leave();
  await wait(500);
  expect(result.current.hasRested).toBe(false);
  result.current.approach();
  await wait(500);
  expect(result.current.hasRested).toBe(true);
  result.current.leave();
  expect(result.current.hasRested).toBe(true);
});

it('cancels its timer on unmount', () => {
  const { result } = renderHook(useRest);
  result.current.approach();
  cleanup();
  expect(vi.getTimerCount()).toBe(0);
});
