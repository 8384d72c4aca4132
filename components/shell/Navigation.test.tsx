import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useLate } from '#components/shell/Navigation.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('shows nothing for short waits and an indicator for long ones', () => {
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
