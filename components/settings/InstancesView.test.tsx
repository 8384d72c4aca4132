import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { instancesQuery } from '#lib/client/instance-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { InstanceList } from '#lib/contract/instance.ts';
import { instanceRecord } from '#lib/testing/api-records.ts';
import { InstancesView } from './InstancesView.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function show(list: InstanceList | null) {
  const client = createQueryClient();
  if (list !== null) client.setQueryData(instancesQuery().queryKey, list);
  render(
    <QueryClientProvider client={client}>
      <InstancesView />
    </QueryClientProvider>,
  );
}

const rowsOf = (table: string) =>
  within(screen.getByRole('region', { name: table }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);

it('lists each instance with its state and load, and stopped ones separately', () => {
  show({
    shared: true,
    instances: [instanceRecord('b', { state: 'draining', is_self: true }), instanceRecord('a'), instanceRecord('old', { state: 'gone' })],
  });
  expect(screen.getByText('1 of 2 ready, 4 calls running')).toBeTruthy();
  const [first, second] = rowsOf('Instances');
  expect(first).toMatch(/^b.*Serves this page.*Draining.*2.*4.*1.*1\.2\.3/);
  expect(second).toMatch(/^a.*Ready/);
  expect(second).not.toContain('Serves this page');
  expect(rowsOf('Instances that are gone')).toEqual([expect.stringMatching(/^old.*Gone/)]);
  expect(screen.getByRole('link', { name: 'a' }).getAttribute('href')).toBe('/calls?instance=a');
});

it('explains what several instances require instead of SQLite', () => {
  show({ shared: false, instances: [instanceRecord('only', { is_self: true })] });
  expect(screen.getByText(/Several need PostgreSQL/)).toBeTruthy();
  expect(rowsOf('Instances')).toHaveLength(1);
  expect(screen.queryByText('Serves this page')).toBeNull();
});

it('says that no instance has reported', () => {
  show({ shared: true, instances: [] });
  expect(screen.getByText('No instance has reported')).toBeTruthy();
});

it('says why the list could not be loaded, and offers a retry', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json(
      { type: 'about:blank', title: 'No', status: 503, detail: 'The database is not available.', code: 'storage_unavailable' },
      { status: 503, headers: { 'content-type': 'application/problem+json' } },
    ),
  );
  show(null);
  expect(await screen.findByText('Could not load the instances', undefined, { timeout: 10_000 })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});
