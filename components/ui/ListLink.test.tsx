import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { type ComponentProps, createElement } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ListLink, useDelayedPending, useHoverIntent } from './ListLink.tsx';

vi.mock('next/link', () => ({
  useLinkStatus: () => ({ pending: false }),
  default: ({ onNavigate, prefetch: _, ...rest }: ComponentProps<'a'> & { onNavigate: () => void; prefetch: unknown }) =>
    createElement('a', {
      ...rest,
      onClick(event) {
        event.preventDefault();
        onNavigate();
      },
    }),
}));

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

it('gets the focus again after Back, unless it is elsewhere', () => {
  const page = (
    <>
      <ListLink href="/calls/1">first</ListLink>
      <ListLink href="/calls/2">second</ListLink>
    </>
  );
  const { unmount } = render(page);
  fireEvent.click(screen.getByText('second'));
  unmount();
  render(page).unmount();
  expect(document.activeElement).toBe(document.body);

  fireEvent.popState(window);
  const content = render(<main id="content" tabIndex={-1} />);
  content.container.querySelector('main')?.focus();
  const again = render(page);
  expect(document.activeElement).toBe(screen.getByText('second'));
  again.unmount();

  fireEvent.popState(window);
  render(
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the focus is elsewhere */}
      <input autoFocus aria-label="search" />
      {page}
    </>,
  );
  expect(document.activeElement).toBe(screen.getByLabelText('search'));
});
