import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectionAt } from '#lib/client/connection-for-tests.ts';
import { Live } from '#lib/client/live-context.ts';
import { ConnectionBadge } from './ConnectionBadge.tsx';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Text without the parts for screen readers only. */
function widthOf(badge: HTMLElement): string {
  const copy = badge.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error('no element');
  for (const hidden of copy.querySelectorAll('.sr-only')) hidden.remove();
  return copy.textContent;
}

it('keeps the width of "Live" until connecting takes a while, then shows "Connecting"', () => {
  const { live, setState } = connectionAt('connecting');
  render(
    <Live value={live}>
      <ConnectionBadge />
    </Live>,
  );
  const badge = screen.getByRole('status', { name: 'Connection' });
  expect(badge.querySelector('.sr-only')?.textContent).toBe('Connecting');
  expect(widthOf(badge)).toBe('Live');
  act(() => void vi.advanceTimersByTime(2_000));
  expect(badge.textContent).toBe('Connecting');
  act(() => setState('live'));
  expect(badge.textContent).toBe('Live');
});
