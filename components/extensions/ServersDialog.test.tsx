import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { ServersDialog } from './ServersDialog.tsx';

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => undefined }) }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(client = createQueryClient(), onClose: () => void = () => undefined) {
  vi.stubGlobal('fetch', () => new Promise(() => undefined));
  render(
    <QueryClientProvider client={client}>
      <ServersDialog onClose={onClose} />
    </QueryClientProvider>,
  );
}

async function openImport() {
  show();
  await userEvent.click(await screen.findByRole('tab', { name: 'Import' }));
  return { file: screen.getByLabelText('File'), text: screen.getByLabelText<HTMLTextAreaElement>('Configuration') };
}

function choose(field: HTMLElement, name: string, text: () => Promise<string>) {
  fireEvent.change(field, { target: { files: [Object.assign(new File([], name), { text })] } });
}

it('focuses the name of the new server', async () => {
  show();
  const name = await screen.findByLabelText('Name');
  expect(document.activeElement).toBe(name);
});

it('says that a file cannot be read', async () => {
  const { file } = await openImport();
  choose(file, 'gone.json', () => Promise.reject(new Error('gone')));
  expect(await screen.findByText(/^gone\.json cannot be read/)).not.toBeNull();
});

it('keeps text that was typed while a file was loading', async () => {
  const { file, text } = await openImport();
  let finish: (read: string) => void = () => undefined;
  choose(file, 'slow.json', () => new Promise((resolve) => (finish = resolve)));
  fireEvent.change(text, { target: { value: 'typed' } });
  await act(async () => finish('{}'));
  expect(text.value).toBe('typed');
});

it('sends only the servers of a file that is larger than a request', async () => {
  const { file } = await openImport();
  const fetched = vi.fn<typeof fetch>(async () => new Promise(() => undefined));
  vi.stubGlobal('fetch', fetched);
  const projects = { '/work': { mcpServers: { local: { command: 'x' } }, history: ['y'.repeat(1_500_000)] } };
  choose(file, '.claude.json', async () => JSON.stringify({ mcpServers: { files: { command: 'npx' } }, projects }));
  await vi.waitFor(() => expect(fetched.mock.lastCall?.[0]).toBe('/api/v1/servers/import'));
  const text = JSON.stringify({
    mcpServers: { files: { command: 'npx' } },
    projects: { '/work': { mcpServers: { local: { command: 'x' } } } },
  });
  expect(fetched.mock.lastCall?.[1]?.body).toBe(JSON.stringify({ client: 'auto', text, preview: true }));
});

it('does not save a new server under an existing name', async () => {
  const client = createQueryClient();
  client.setQueryData(queries.extensions().queryKey, {
    version: 1,
    watch: { mode: 'native', reason: null, self_test: { result: 'running', reason: null, at: null, duration_ms: null } },
    loading: null,
    extensions: [extensionRecord('github', 'ready', { kind: 'mcp' })],
  });
  show(client);
  const name = await screen.findByLabelText('Name');
  await userEvent.type(screen.getByLabelText('Command'), 'npx');
  await userEvent.type(name, 'github');
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('“github” exists already. Choose another name, or edit that server.')).not.toBeNull();
  expect(screen.getByRole('button', { name: 'Add server' }).getAttribute('aria-disabled')).toBe('true');
});

it('keeps the typed text while another tab is open', async () => {
  show();
  await userEvent.type(await screen.findByLabelText('Command'), 'npx');
  await userEvent.click(screen.getByRole('tab', { name: 'Import' }));
  expect(screen.queryByRole('form', { name: 'MCP server' })).toBeNull();
  await userEvent.click(screen.getByRole('tab', { name: 'New server' }));
  expect(screen.getByLabelText<HTMLInputElement>('Command').value).toBe('npx');
});

it('asks for confirmation before closing a filled form', async () => {
  const onClose = vi.fn();
  show(createQueryClient(), onClose);
  const command = await screen.findByLabelText<HTMLInputElement>('Command');
  await userEvent.type(command, 'npx');
  await userEvent.keyboard('{Escape}');
  const question = await screen.findByRole('alertdialog', { name: 'Discard your input?' }, { timeout: 10_000 });
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  expect(command.value).toBe('npx');
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  expect(onClose).toHaveBeenCalled();
});

it('closes an empty form without confirmation', async () => {
  const onClose = vi.fn();
  show(createQueryClient(), onClose);
  await screen.findByLabelText('Command');
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});
