import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { ExtensionConflict } from '#lib/contract/extension.ts';
import { ConflictPanel } from './ConflictPanel.tsx';

const CONFLICT: ExtensionConflict = {
  id: 'c1',
  path: 'weather/extension.ts',
  instance: 'node-b-4d02aa',
  actor: 'Ada',
  saved_at: '2026-11-26T01:00:00.000Z',
  serving_instance: 'node-a-17fe01',
  serving_actor: null,
  serving_saved_at: '2026-11-26T00:59:59.000Z',
  serving: 'first line\nserved text\n',
  other: 'first line\nother text\n',
};

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function show(conflict: Partial<ExtensionConflict> = {}) {
  const requests = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ conflicts: [] }));
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ConflictPanel conflict={{ ...CONFLICT, ...conflict }} />
    </QueryClientProvider>,
  );
  return requests;
}

it('shows both versions, and who saved each, where and when', () => {
  show();
  const conflict = within(screen.getByRole('region', { name: 'Conflict in weather/extension.ts' }));
  const [served, other] = conflict.getAllByRole('listitem');
  expect(served?.textContent).toMatch(/Served now, saved on node-a-17fe01/);
  expect(served?.querySelector('time')?.dateTime).toBe(CONFLICT.serving_saved_at);
  expect(other?.textContent).toMatch(/Other, saved by Ada on node-b-4d02aa/);
  expect(other?.querySelector('time')?.dateTime).toBe(CONFLICT.saved_at);
  const table = conflict.getByRole('table', { name: 'Both versions of weather/extension.ts' });
  expect(table.textContent).toContain('served text');
  expect(table.textContent).toContain('other text');
});

it.each([
  ['serving', 'Keep served version', 'Discard other version', 'stays as it is served on all instances'],
  ['other', 'Use other version', 'Use other version', 'replaces weather/extension.ts on all instances'],
] as const)('sends the choice “%s” after a confirmation that names the consequence', async (keep, button, confirm, consequence) => {
  const requests = show();
  fireEvent.click(screen.getByRole('button', { name: button }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText(new RegExp(consequence))).toBeTruthy();
  expect(requests).not.toHaveBeenCalled();
  fireEvent.click(dialog.getByRole('button', { name: confirm }));
  await vi.waitFor(() => expect(requests).toHaveBeenCalledOnce());
  const [address, options] = requests.mock.calls[0] ?? [];
  expect(address).toBe('/api/v1/conflicts/c1');
  expect(options).toMatchObject({ method: 'POST', body: JSON.stringify({ keep }) });
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
});

it('says that a version removes the file', async () => {
  show({ other: null });
  expect(screen.getByText(/^Other, saved/).textContent).toContain('(file removed)');
  fireEvent.click(screen.getByRole('button', { name: 'Use other version' }));
  expect(within(await screen.findByRole('alertdialog')).getByText(/is removed on all instances/)).toBeTruthy();
});
