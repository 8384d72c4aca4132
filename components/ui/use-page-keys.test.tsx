import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { usePageKeys } from './use-page-keys.ts';

function Page({ onKey, over = false }: { onKey: () => void; over?: boolean }) {
  usePageKeys({ e: onKey });
  return (
    <>
      <input aria-label="Search" />
      <button type="button">Do</button>
      {over ? <div role="dialog" /> : null}
    </>
  );
}

afterEach(cleanup);

test('runs an action on a key, wherever the focus is', () => {
  const onKey = vi.fn();
  render(<Page onKey={onKey} />);
  fireEvent.keyDown(document.body, { key: 'e' });
  fireEvent.keyDown(screen.getByRole('button', { name: 'Do' }), { key: 'e' });
  expect(onKey).toHaveBeenCalledTimes(2);
  fireEvent.keyDown(document.body, { key: 'e', repeat: true });
  fireEvent.keyDown(document.body, { key: 'e', ctrlKey: true });
  fireEvent.keyDown(document.body, { key: 'x' });
  expect(onKey).toHaveBeenCalledTimes(2);
});

test('ignores keys while typing, under an overlay, in a chord and for the palette', () => {
  const onKey = vi.fn();
  const { rerender } = render(<Page onKey={onKey} />);
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Search' }), { key: 'e' });
  rerender(<Page onKey={onKey} over />);
  fireEvent.keyDown(document.body, { key: 'e' });
  rerender(<Page onKey={onKey} />);
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'e' });
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  fireEvent.keyDown(document.body, { key: 'w' });
  fireEvent.keyDown(document.body, { key: 'e' });
  expect(onKey).not.toHaveBeenCalled();
});
