import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import { secretsQuery } from '#lib/client/secret-queries.ts';
import type { Secret } from '#lib/contract/secrets.ts';
import { SecretsView } from './SecretsView.tsx';

const fetched = vi.fn<typeof fetch>();
const conditionOfLast = () => new Headers(fetched.mock.lastCall?.[1]?.headers).get('if-none-match');

beforeEach(() => {
  fetched.mockReset().mockReturnValue(new Promise(() => undefined));
  vi.stubGlobal('fetch', fetched);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(secrets: Secret[], searchParams = '') {
  const client = createQueryClient();
  client.setQueryData(secretsQuery().queryKey, { secrets, missing: [] });
  render(
    <QueryClientProvider client={client}>
      <NuqsTestingAdapter searchParams={searchParams} hasMemory>
        <SecretsView />
      </NuqsTestingAdapter>
    </QueryClientProvider>,
  );
}

it('does not replace a stored secret when adding one, and offers to replace it with the typed value', async () => {
  const user = userEvent.setup();
  const secret = { name: 'API_KEY', uses: [], readable: true, updated_at: '2026-11-22T10:00:00.000Z', updated_by: null };
  show([secret], '?add=');
  const name = await screen.findByLabelText('Name');
  await user.type(screen.getByLabelText('Value'), 'new value');
  await user.type(name, 'API_KEY');
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText(/“API_KEY” exists already/)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Add secret' }).getAttribute('aria-disabled')).toBe('true');

  await user.click(screen.getByRole('button', { name: 'replace its value' }));
  expect(screen.getByRole('dialog', { name: 'Replace API_KEY' })).toBeTruthy();
  expect(screen.getByLabelText<HTMLTextAreaElement>('Value').value).toBe('new value');
  expect(document.activeElement).toBe(screen.getByLabelText('Value'));
  await user.click(screen.getByRole('button', { name: 'Replace' }));
  expect(fetched.mock.lastCall?.[0]).toBe('/api/v1/secrets/API_KEY');
  expect(conditionOfLast()).toBeNull();
});

it('adds a secret on condition that nobody added one with this name meanwhile', async () => {
  const user = userEvent.setup();
  show([], '?add=');
  await user.type(await screen.findByLabelText('Name'), 'API_KEY');
  await user.type(screen.getByLabelText('Value'), 'value');
  await user.click(screen.getByRole('button', { name: 'Add secret' }));
  expect(fetched.mock.lastCall?.[0]).toBe('/api/v1/secrets/API_KEY');
  expect(conditionOfLast()).toBe('*');
});

it('counts the stored secrets once there is one', () => {
  show([]);
  expect(screen.getByText('No secrets yet')).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Stored' })).toBeNull();
});
