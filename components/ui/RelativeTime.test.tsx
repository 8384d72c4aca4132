import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunningDuration } from './RelativeTime.tsx';

const START = Date.parse('2026-01-02T03:04:05.000Z');

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['setInterval', 'clearInterval', 'Date'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('counts tenths of a second, and seconds from 10 s on', () => {
  const { container } = render(<RunningDuration since={new Date(START).toISOString()} />);
  expect(container.textContent).toBe('0.0 s');
  act(() => void vi.advanceTimersByTime(750));
  expect(container.textContent).toBe('0.7 s');
  act(() => void vi.advanceTimersByTime(9_200));
  expect(container.textContent).toBe('9.9 s');
  act(() => void vi.advanceTimersByTime(1_500));
  expect(container.textContent).toBe('11 s');
  act(() => void vi.advanceTimersByTime(120_000));
  expect(container.textContent).toBe('2 min 11 s');
});

it('stops its timer without subscribers', () => {
  const { unmount } = render(<RunningDuration since={new Date(START).toISOString()} />);
  expect(vi.getTimerCount()).toBe(1);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});
