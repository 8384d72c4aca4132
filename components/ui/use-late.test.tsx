import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLate } from './use-late.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('says nothing of what is over in a moment, and tells of what takes longer until it is over', () => {
  const { result, rerender } = renderHook(({ underWay }) => useLate(underWay), { initialProps: { underWay: true } });
  act(() => void vi.advanceTimersByTime(299));
  expect(result.current).toBe(false);
  rerender({ underWay: false });
  act(() => void vi.advanceTimersByTime(1_000));
  expect(result.current).toBe(false);
  rerender({ underWay: true });
  act(() => void vi.advanceTimersByTime(300));
  expect(result.current).toBe(true);
  rerender({ underWay: false });
  expect(result.current).toBe(false);
});
