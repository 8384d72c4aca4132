import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useDelayedPending, useHoverIntent } from './ListLink.tsx';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const wait = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));

it('detects a resting pointer, not a passing one', async () => {
  const { result } = renderHook(useHoverIntent);
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
  const { result } = renderHook(useHoverIntent);
  result.current.approach();
  cleanup();
  expect(vi.getTimerCount()).toBe(0);
});

it('shows nothing for short waits and an indicator for long ones', () => {
  const { result, rerender } = renderHook(({ isPending }) => useDelayedPending(isPending), { initialProps: { isPending: true } });
  act(() => void vi.advanceTimersByTime(299));
  expect(result.current).toBe(false);
  rerender({ isPending: false });
  act(() => void vi.advanceTimersByTime(1_000));
  expect(result.current).toBe(false);
  rerender({ isPending: true });
  act(() => void vi.advanceTimersByTime(300));
  expect(result.current).toBe(true);
  rerender({ isPending: false });
  expect(result.current).toBe(false);
});
