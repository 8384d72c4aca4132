import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ListLink } from './ListLink.tsx';

// What Next is told to read ahead shows nowhere in the page.
vi.mock('next/link', () => ({
  default: ({ prefetch, children, ...rest }: ComponentProps<'a'> & { prefetch: boolean | null }) => (
    <a {...rest} data-read-ahead={prefetch === null}>
      {children}
    </a>
  ),
}));

const isRead = (name: string) => screen.getByRole('link', { name }).dataset['readAhead'] === 'true';
const link = (name: string) => screen.getByRole('link', { name });

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <ListLink href="/calls/1">one</ListLink>
      <ListLink href="/calls/2">two</ListLink>
    </>,
  );
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function wait(ms: number) {
  return act(async () => vi.advanceTimersByTimeAsync(ms));
}

it('has the page read on which the pointer rests, and none that passes under it', async () => {
  fireEvent.pointerEnter(link('one'));
  await wait(30);
  fireEvent.pointerLeave(link('one'));
  fireEvent.pointerEnter(link('two'));
  await wait(500);
  expect([isRead('one'), isRead('two')]).toEqual([false, true]);
});

it('does so for the focus, too', async () => {
  fireEvent.focus(link('one'));
  await wait(30);
  fireEvent.blur(link('one'));
  fireEvent.focus(link('two'));
  expect(isRead('two')).toBe(false);
  await wait(500);
  expect([isRead('one'), isRead('two')]).toEqual([false, true]);
});

it('asks for nothing once it is gone', async () => {
  fireEvent.pointerEnter(link('one'));
  cleanup();
  await wait(500);
  expect(vi.getTimerCount()).toBe(0);
});
