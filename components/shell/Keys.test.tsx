import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, createEvent, fireEvent, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { Keys } from './Keys.tsx';
import { shellState } from './shell-state.ts';

vi.mock('next/navigation', () => ({ usePathname: () => '/', useRouter: () => ({ push: () => undefined }) }));

afterEach(() => {
  cleanup();
  shellState.show(null);
});

function press(target: Element, key: string, more: KeyboardEventInit = {}): boolean {
  const event = createEvent.keyDown(target, { key, bubbles: true, cancelable: true, ...more });
  fireEvent(target, event);
  return event.defaultPrevented;
}

it('buffers keys typed after Ctrl-K until the palette field exists', () => {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <Keys />
      <input aria-label="A field" />
    </QueryClientProvider>,
  );
  const field = container.querySelector('input');
  if (field === null) throw new Error('no field');
  expect(press(field, 'w')).toBe(false);
  press(field, 'k', { ctrlKey: true });
  expect(shellState.open()).toBe('palette');
  expect(Array.from('weather').map((key) => press(field, key))).toEqual(Array.from({ length: 7 }, () => true));
  expect(press(field, 'c', { ctrlKey: true })).toBe(false);
  expect(press(field, 'ArrowDown')).toBe(false);
  expect(shellState.takeTyped()).toBe('weather');
});

it('leaves keys to the palette field once it has the focus, and closes the palette on Escape before that', () => {
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <Keys />
      <input {...{ 'cmdk-input': '' }} />
    </QueryClientProvider>,
  );
  const field = container.querySelector('input');
  if (field === null) throw new Error('no field');
  shellState.show('palette');
  expect(press(field, 'w')).toBe(false);
  expect(shellState.takeTyped()).toBe('');
  press(document.body, 'Escape');
  expect(shellState.open()).toBeNull();
});
