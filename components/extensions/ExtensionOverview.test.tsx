import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import { SessionProvider } from '#lib/client/SessionProvider.tsx';
import type { Extension } from '#lib/contract/extension.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { API } from '#lib/contract/paths.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { ExtensionOverview, type RenderedInstructions } from './ExtensionOverview.tsx';

let client = createQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
});

/** Shows the overview, and answers each choice with this; returns the bodies of the choices that were sent. */
function show(
  change: Partial<Extension>,
  answer: () => Promise<Response> = async () => Response.json(extensionRecord('math')),
  instructions: RenderedInstructions | null = null,
): unknown[] {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', (address: string, { method, body }: RequestInit) => {
    if (method !== 'POST' || address !== API.extensionAction('math', 'keep-alive')) return new Promise(() => undefined);
    sent.push(typeof body === 'string' ? JSON.parse(body) : body);
    return answer();
  });
  client = createQueryClient();
  const extension = {
    ...extensionRecord('math', 'ready', change),
    revisions: [],
    has_status: false,
    status: null,
    status_error: null,
    status_duration_ms: null,
    logs: [],
    logs_truncated: false,
    instances: [],
    conflicts: [],
  };
  render(
    <QueryClientProvider client={client}>
      <SessionProvider session={LOCAL_SESSION}>
        <ExtensionOverview extension={extension} instructions={instructions} />
      </SessionProvider>
    </QueryClientProvider>,
  );
  return sent;
}

const choice = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Without calls' });
const choose = (value: string) => fireEvent.change(choice(), { target: { value } });

it.each([
  [undefined, 'Automatic'],
  [true, 'Keep running'],
  [false, 'End when idle'],
])('shows what was chosen for a process without calls (%s: %s)', (chosen, words) => {
  show(chosen === undefined ? {} : { keep_alive: chosen });
  expect(choice().selectedOptions[0]?.textContent).toBe(words);
});

it.each([
  ['auto', null],
  ['keep', true],
  ['end', false],
])('sends the choice %s as %s', async (value, keep) => {
  const sent = show({ keep_alive: keep !== true });
  choose(value);
  await vi.waitFor(() => expect(sent).toEqual([{ keep }]));
});

it('shows the new choice while it is sent, accepts no other meanwhile, and shows why it failed', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  show({}, () => promise);
  choose('keep');
  await vi.waitFor(() => expect(choice().disabled).toBe(true));
  expect(choice().value).toBe('keep');
  const problem = { type: 'about:blank', title: 'Refused', status: 503, code: 'storage_unavailable', detail: 'The database is away.' };
  resolve(Response.json(problem, { status: 503, headers: { 'content-type': 'application/problem+json' } }));
  expect(await screen.findByText(/The database is away\./)).toBeTruthy();
  expect([choice().disabled, choice().value]).toEqual([false, 'auto']);
});

it.each([{ kind: 'channel' }, { state: 'excluded' }] as const)('offers no choice for %o', (change) => {
  show(change);
  expect(screen.queryByRole('combobox')).toBeNull();
});

it.each([
  ['Adds numbers.', 'as rendered by the server'],
  ['Adds and subtracts.', 'Adds and subtracts.'],
])('shows the instructions %s as %s', async (instructions, words) => {
  show({ instructions }, undefined, { text: 'Adds numbers.', rendered: 'as rendered by the server' });
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.queryAllByText(/rendered by the server|Adds/)).toHaveLength(1);
});
