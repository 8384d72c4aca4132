import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { textDrafts } from '#components/ui/text-drafts.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { toolsetsQuery, toolsWithParametersQuery } from '#lib/client/toolset-queries.ts';
import type { Toolset } from '#lib/contract/toolset.ts';
import { toolRecord } from '#lib/testing/api-records.ts';
import { ToolsetsView } from './ToolsetsView.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  for (const key of textDrafts.list('').split('\n')) textDrafts.write(key, null);
});

const SUPPORT: Toolset = {
  name: 'support',
  title: '',
  instructions: '',
  tools: [{ tool: 'find_order' }],
  members: null,
  estimated_tokens: 10,
  missing: [],
  updated_at: '2026-11-22T10:00:00.000Z',
  updated_by: null,
};

function show(searchParams = '', { isLoaded = true } = {}) {
  const client = createQueryClient();
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  client.setQueryData(toolsetsQuery().queryKey, { toolsets: [SUPPORT] });
  if (isLoaded) client.setQueryData(toolsWithParametersQuery().queryKey, { version: 1, tools: [toolRecord('find_order')] });
  render(
    <QueryClientProvider client={client}>
      <NuqsTestingAdapter searchParams={searchParams} hasMemory>
        <ToolsetsView />
      </NuqsTestingAdapter>
    </QueryClientProvider>,
  );
}

const editor = () => screen.findByRole('form', { name: 'Toolset' }, { timeout: 10_000 });

it('does not save a new toolset under an existing name', async () => {
  show('?toolset=');
  await editor();
  const name = screen.getByLabelText('Name');
  await userEvent.type(name, 'support');
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('“support” exists already. Choose another name, or edit that toolset.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
});

it('keeps unsaved changes when the editor closes, until they are discarded', async () => {
  show('?toolset=support');
  await editor();
  await userEvent.type(screen.getByLabelText('Instructions'), 'Only orders.');
  await userEvent.click(screen.getByRole('button', { name: 'Back' }));
  const row = await screen.findByRole('listitem');
  expect(row.textContent).toContain('unsaved changes');
  const closing = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(closing);
  expect(closing.defaultPrevented).toBe(true);

  await userEvent.click(within(row).getByRole('button', { name: 'Edit support' }));
  await editor();
  expect(screen.getByLabelText<HTMLTextAreaElement>('Instructions').value).toBe('Only orders.');
  await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Instructions').value).toBe('');
  expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull();
});

it('moves the focus into the editor and back to the button that opened it', async () => {
  show();
  await userEvent.click(screen.getByRole('button', { name: 'New toolset' }));
  await editor();
  expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  await userEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'New toolset' }));
  await userEvent.click(screen.getByRole('button', { name: 'Edit support' }));
  expect(document.activeElement).toBe(await editor());
  await userEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit support' }));
});

it('does not call a tool missing while the tools load', async () => {
  show('?toolset=support', { isLoaded: false });
  const form = await editor();
  expect(within(form).getByRole('list', { name: 'Tools in this toolset' }).textContent).not.toContain('missing');
  expect(form.textContent).not.toContain('Select tools');
});

it('says that the toolset of a link is not found', () => {
  show('?toolset=nope');
  expect(screen.getByRole('alert').textContent).toBe('Toolset “nope” not found');
});
