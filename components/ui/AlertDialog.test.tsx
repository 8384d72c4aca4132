import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { AlertDialog } from './AlertDialog.tsx';

afterEach(cleanup);

function Example({ work }: { work: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <main id="content" tabIndex={-1} />
      <button type="button" onClick={() => setOpen(true)}>
        Disable
      </button>
      <AlertDialog
        open={open}
        onClose={() => setOpen(false)}
        title="Disable weather?"
        description="Its tools are unavailable then."
        confirm="Yes"
        onConfirm={work}
      />
    </>
  );
}

it('closes when the action succeeds, and returns the focus', async () => {
  const user = userEvent.setup();
  const work = vi.fn<() => Promise<void>>().mockResolvedValue();
  render(<Example work={work} />);
  await user.click(screen.getByRole('button', { name: 'Disable' }));
  await user.click(await screen.findByRole('button', { name: 'Yes' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(work).toHaveBeenCalledOnce();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Disable' })));
});

it('stays open with the reason when the action fails', async () => {
  const user = userEvent.setup();
  render(<Example work={() => Promise.reject(new Error('It is pinned. Unpin it first.'))} />);
  await user.click(screen.getByRole('button', { name: 'Disable' }));
  await user.click(await screen.findByRole('button', { name: 'Yes' }));
  expect((await screen.findByRole('alert')).textContent).toBe('It is pinned. Unpin it first.');
  expect(screen.getByRole('alertdialog')).not.toBeNull();
});

it('stays open at the Escape of an input method', async () => {
  const user = userEvent.setup();
  render(<Example work={async () => undefined} />);
  await user.click(screen.getByRole('button', { name: 'Disable' }));
  const dialog = await screen.findByRole('alertdialog');
  fireEvent.keyDown(dialog, { key: 'Escape', keyCode: 229 });
  expect(screen.queryByRole('alertdialog')).not.toBeNull();
  fireEvent.keyDown(dialog, { key: 'Escape', keyCode: 27 });
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
});

it('does not show the result of the previous question', async () => {
  const user = userEvent.setup();
  const outcomes = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  render(<Example work={() => outcomes[calls++]?.promise ?? Promise.resolve()} />);
  const ask = () => user.click(screen.getByText('Disable'));
  const confirm = async () => user.click(await screen.findByRole('button', { name: 'Yes' }));
  const cancel = () => user.click(screen.getByRole('button', { name: 'Cancel' }));
  await ask();
  await confirm();
  outcomes[0]?.reject(new Error('It is in use.'));
  await screen.findByText('It is in use.');
  await cancel();
  await ask();
  await screen.findByRole('alertdialog');
  expect(screen.queryByText('It is in use.')).toBeNull();

  await confirm();
  await cancel();
  await ask();
  outcomes[1]?.reject(new Error('Too late.'));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Yes' }).getAttribute('aria-busy')).toBeNull());
  expect(screen.getByRole('alertdialog').textContent).not.toContain('Too late.');
});
