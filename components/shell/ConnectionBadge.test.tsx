import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveConnection, LiveState } from '#lib/client/live-connection.ts';
import { Live } from '#lib/client/live-context.ts';
import { ConnectionBadge } from './ConnectionBadge.tsx';

let state: LiveState;
let tell: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  state = { state: 'connecting', since: null };
  tell = () => undefined;
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(): HTMLElement {
  const live: LiveConnection = {
    state: () => state,
    subscribeState(listener) {
      tell = listener;
      return () => undefined;
    },
    subscribe: () => () => undefined,
    start: () => undefined,
    retryNow: () => undefined,
    close: () => undefined,
  };
  render(
    <Live value={live}>
      <ConnectionBadge />
    </Live>,
  );
  return screen.getByRole('status', { name: 'Connection' });
}

/** What it takes room for: all that is not for screen readers alone. */
function widthOf(badge: HTMLElement): string {
  const copy = badge.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error('no element');
  for (const hidden of copy.querySelectorAll('.sr-only')) hidden.remove();
  return copy.textContent;
}

it('is as wide as when it is live until connecting takes a while, and then says so', () => {
  const badge = show();
  expect(badge.querySelector('.sr-only')?.textContent).toBe('Connecting');
  expect(widthOf(badge)).toBe('Live');
  act(() => void vi.advanceTimersByTime(2_000));
  expect(badge.textContent).toBe('Connecting');
  state = { state: 'live', since: null };
  act(() => tell());
  expect(badge.textContent).toBe('Live');
});
