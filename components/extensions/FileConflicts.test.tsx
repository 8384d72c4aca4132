import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { conflictsQuery } from '#lib/client/instance-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { FileConflictList } from '#lib/contract/extension.ts';
import { FileConflicts } from './FileConflicts.tsx';

const SAVES = {
  instance: 'node-b-4d02aa',
  actor: null,
  saved_at: '2026-11-26T01:00:00.000Z',
  serving_instance: 'node-a-17fe01',
  serving_actor: null,
  serving_saved_at: '2026-11-26T00:59:59.000Z',
};

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function show(conflicts: FileConflictList['conflicts']) {
  const client = createQueryClient();
  client.setQueryData(conflictsQuery().queryKey, { conflicts });
  return render(
    <QueryClientProvider client={client}>
      <FileConflicts />
    </QueryClientProvider>,
  );
}

it('lists each file in conflict, and shows both texts when it is opened', async () => {
  const requests = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () =>
      Response.json({ id: 'c1', path: 'notes/plan.txt', ...SAVES, serving: 'served text\n', other: 'other text\n' }),
    );
  show([
    { id: 'c1', path: 'notes/plan.txt', ...SAVES, extensions: [] },
    { id: 'c2', path: '_lib/words.ts', ...SAVES, extensions: ['weather', 'math'] },
  ]);
  const [unused, used] = within(screen.getByRole('list', { name: 'Conflicts' })).getAllByRole('listitem');
  if (unused === undefined || used === undefined) throw new Error('both are listed');
  expect(unused.textContent).toMatch(/^notes\/plan\.txt.*used by no extension/);
  expect(used.textContent).not.toContain('used by no extension');
  expect(requests).not.toHaveBeenCalled();
  open(unused);
  const table = await screen.findByRole('table', { name: 'Both versions of notes/plan.txt' });
  expect(table.textContent).toContain('served text');
  expect(table.textContent).toContain('other text');
  expect(requests.mock.calls[0]?.[0]).toBe('/api/v1/conflicts/c1');
  open(used);
  expect((await within(used).findByRole('link', { name: 'weather' })).getAttribute('href')).toBe('/extensions/weather');
});

it('shows nothing without a conflict', () => {
  expect(show([]).container.textContent).toBe('');
});

function open(row: HTMLElement): void {
  const details = row.querySelector('details');
  if (details === null) throw new Error('a row opens');
  details.open = true;
  fireEvent(details, new Event('toggle'));
}
