import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { CopyButton, copyText } from './CopyButton.tsx';

afterEach(cleanup);

it('says that the text was copied', async () => {
  const user = userEvent.setup();
  render(<CopyButton text="one" label="Copy the id" words />);
  await user.click(screen.getByRole('button', { name: 'Copy the id' }));
  expect(screen.getByRole('status').textContent).toBe('Copied');
  expect(await navigator.clipboard.readText()).toBe('one');
});

it('reports a failure on a page without a clipboard', async () => {
  vi.stubGlobal('navigator', {});
  expect(await copyText(() => 'one')).toBe(false);
});
