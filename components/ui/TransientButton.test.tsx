import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { TransientButton } from './TransientButton.tsx';

afterEach(cleanup);

function Run({ running }: { running: boolean }) {
  return (
    <main tabIndex={-1}>
      <div tabIndex={-1} data-testid="status">
        {running ? 'Running' : 'Cancelled'}
        {running ? <TransientButton focusFallback="[tabindex]">Cancel</TransientButton> : null}
      </div>
      <button type="button">Other</button>
    </main>
  );
}

it('moves the focus to an ancestor when it disappears', () => {
  const { rerender } = render(<Run running />);
  screen.getByRole('button', { name: 'Cancel' }).focus();
  rerender(<Run running={false} />);
  expect(document.activeElement).toBe(screen.getByTestId('status'));
});

it('does not move the focus when another element has it', () => {
  const { rerender } = render(<Run running />);
  screen.getByRole('button', { name: 'Other' }).focus();
  rerender(<Run running={false} />);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Other' }));
});
