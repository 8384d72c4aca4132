import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { Tabs } from './Tabs.tsx';

afterEach(cleanup);

const TABS = [
  { id: 'a', label: 'Tools', content: 'the tools' },
  { id: 'b', label: 'Logs', content: 'the logs' },
  { id: 'c', label: 'About', content: 'about it' },
];

it('opens with arrow keys, Home and End, and wraps around', async () => {
  const user = userEvent.setup();
  const changed = vi.fn<(id: string) => void>();
  render(<Tabs label="Parts" tabs={TABS} onChange={changed} />);
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Tools' }));
  await user.keyboard('{ArrowLeft}');
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'About', selected: true }));
  expect(screen.getByRole('tabpanel', { name: 'About' }).textContent).toBe('about it');
  await user.keyboard('{Home}{ArrowRight}');
  expect(changed.mock.calls.map(([id]) => id)).toEqual(['c', 'a', 'b']);
});

it('opens the first tab if the address names an unknown one', () => {
  render(<Tabs label="Parts" tabs={TABS} value="gone" />);
  expect(screen.getByRole('tabpanel').textContent).toBe('the tools');
});
