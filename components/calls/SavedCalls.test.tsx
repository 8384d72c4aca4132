import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import { savedCallQueries } from '#lib/client/saved-call-queries.ts';
import { API } from '#lib/contract/paths.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { callRecord, savedCallRecord } from '#lib/testing/api-records.ts';
import { SavedCalls } from './SavedCalls.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const isTo = (address: unknown, path: string) => typeof address === 'string' && address.includes(path);
const bodyOf = (init: RequestInit | undefined): unknown => (typeof init?.body === 'string' ? JSON.parse(init.body) : null);

function show(saved: SavedCall, destructive = false) {
  const client = createQueryClient();
  client.setQueryData(savedCallQueries.list(saved.tool).queryKey, { saved_calls: [saved] });
  const requests = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (address) =>
      isTo(address, API.runSavedCall(saved.id))
        ? Response.json({ saved_call: saved, call: callRecord() })
        : new Promise<Response>(() => undefined),
    );
  render(
    <NuqsTestingAdapter>
      <QueryClientProvider client={client}>
        <SavedCalls
          tool={saved.tool}
          available
          destructive={destructive}
          present={{}}
          shown={{}}
          result={undefined}
          open={null}
          timeout=""
          onLoad={() => undefined}
          onRan={() => undefined}
        />
      </QueryClientProvider>
    </NuqsTestingAdapter>,
  );
  return () => requests.mock.calls.filter(([address]) => isTo(address, API.runSavedCall(saved.id)));
}

async function runWithSecret() {
  await userEvent.click(screen.getByRole('button', { name: 'Run Oslo' }));
  const dialog = await screen.findByRole('dialog', { name: 'Secrets for Oslo' });
  await userEvent.type(within(dialog).getByLabelText('token'), 'top');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Run' }));
}

it('runs a saved call with the entered secrets', async () => {
  const runs = show(savedCallRecord({ left_out: ['/token'] }));
  await runWithSecret();
  await vi.waitFor(() => expect(runs()).toHaveLength(1));
  expect(bodyOf(runs()[0]?.[1])).toEqual({ arguments: { token: 'top' } });
});

it('asks for confirmation before a destructive tool runs with the secrets', async () => {
  const saved = savedCallRecord({ left_out: ['/token'] });
  const runs = show(saved, true);
  await runWithSecret();
  const question = await screen.findByRole('alertdialog', { name: 'Run Oslo?' });
  expect(runs()).toHaveLength(0);
  expect(question.textContent).toContain('with the secrets that you entered:');
  await userEvent.click(within(question).getByRole('button', { name: `Run ${saved.tool}` }));
  await vi.waitFor(() => expect(runs()).toHaveLength(1));
  expect(bodyOf(runs()[0]?.[1])).toEqual({ arguments: { token: 'top' } });
});

it('counts the items of a list in the name of a secret from 1', () => {
  show(savedCallRecord({ arguments: { keys: [{}] }, left_out: ['/keys/0/token'] }));
  expect(screen.getByText('keys › 1 › token')).not.toBeNull();
});
