import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { connectionAt } from '#lib/client/connection-for-tests.ts';
import { Live } from '#lib/client/live-context.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { ReloadReport } from '#lib/contract/extension.ts';
import { failureRecord } from '#lib/testing/api-records.ts';
import { readReport, ReloadButton, reportInWords } from './ReloadButton.tsx';

const client = createQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
});

it('shows that the server could not be reached until the page reconnects', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  const { live, setState } = connectionAt('stale');
  render(
    <QueryClientProvider client={client}>
      <Live value={live}>
        <ReloadButton />
      </Live>
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole('button', { name: /Reload/ }));
  const result = await screen.findByRole('dialog', { name: 'Result of the reload' });
  expect(result.textContent).toContain('could not be reached');
  act(() => setState('live'));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Result of the reload' })).toBeNull());
});

function failure(extension: string): Failure {
  return failureRecord({
    id: extension,
    extension,
    error: 'broken',
    message: 'broken',
    last_seen: '2026-11-21T11:00:00Z',
  });
}

const report: ReloadReport = {
  version: 43,
  loaded_extensions: ['math'],
  failed_extensions: [failure('shell'), failure('weather')],
  tools: [],
  channels: [],
  changed: ['math', 'weather'],
  duration_ms: 12,
};

it('counts an extension that changed and failed only as failed', () => {
  expect(reportInWords(report)).toBe('v43: 1 changed, 2 failed');
});

it('reports that nothing changed', () => {
  expect(reportInWords({ ...report, changed: [], failed_extensions: [] })).toBe('v43: nothing changed');
});

it('limits the report to the named extensions', () => {
  const narrowed = readReport(report, ['weather']);
  expect(narrowed === null ? null : reportInWords(narrowed)).toBe('v43: 1 failed');
  expect(readReport(report, null)?.failed_extensions).toHaveLength(2);
});

it('has no report without a response', () => {
  expect(readReport(undefined, null)).toBeNull();
});
