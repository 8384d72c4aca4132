import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { connectionAt } from '#lib/client/connection-for-tests.ts';
import { Live } from '#lib/client/live-context.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { ReloadButton } from './ReloadButton.tsx';

const client = createQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
});

it('says that the server could not be reached until the page is connected again', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  const { live, become } = connectionAt('stale');
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
  act(() => become('live'));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Result of the reload' })).toBeNull());
});
