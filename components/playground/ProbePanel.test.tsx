import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Tool } from '#lib/contract/tool.ts';
import { ProbePanel } from './ProbePanel.tsx';

const TOOL: Tool = {
  name: 'book_room',
  label: 'Test',
  description: 'Books a table.',
  parameters: { type: 'object' },
  output_schema: null,
  annotations: {},
  timeout_ms: null,
  examples: [],
  extension: 'hotel',
  revision: 1,
  available: true,
  unavailable_reason: null,
  warnings: [],
};
const FINDING = {
  kind: 'crash',
  arguments: { nights: 42 },
  message: 'The process ended.',
  call_id: '0190aaaa-0000-7000-8000-000000abcdef',
};
const REPORT = {
  tool: 'book_room',
  calls: 37,
  answered: 30,
  seed: 7,
  findings: [FINDING],
  complete: true,
  notes: [],
  timeout_ms: 5_000,
  slow_ms: 2_000,
};

interface Sent {
  readonly path: string;
  readonly body: unknown;
}
let sent: Sent[] = [];
let answer: () => Promise<Response>;

beforeEach(() => {
  sent = [];
  answer = async () => Response.json(REPORT);
  vi.stubGlobal('fetch', async (path: string, { body, signal }: { body?: string; signal?: AbortSignal }) => {
    sent.push({ path, body: body === undefined ? undefined : JSON.parse(body) });
    if (path.startsWith('/api/v1/calls?')) return Response.json({ calls: [], next_cursor: null });
    if (!path.endsWith('/probe'))
      return Response.json(
        { type: 'about:blank', title: 'x', status: 409, code: 'state_conflict', detail: 'There is one of this name.' },
        { status: 409 },
      );
    return Promise.race([
      answer(),
      new Promise<Response>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))),
      ),
    ]);
  });
});
afterEach(cleanup);

function show(change: Partial<Tool> = {}) {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ProbePanel tool={{ ...TOOL, ...change }} />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}

async function begin(user: ReturnType<typeof show>, yes: string) {
  await user.click(screen.getByRole('button', { name: 'Probe this tool' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Probe book_room?' });
  expect(sent).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: yes }));
}

it('asks for confirmation, then shows findings with arguments and a save action', async () => {
  const user = show();
  await begin(user, 'Probe');
  const row = await screen.findByRole('listitem');
  expect(row.textContent).toContain('Process exits');
  expect(row.textContent).toContain('42');
  expect(screen.getByText('37 calls, seed 7.')).toBeTruthy();
  expect(sent).toContainEqual({ path: '/api/v1/tools/book_room/probe', body: { destructive: false } });
  await user.click(within(row).getByRole('button', { name: 'Save as a check' }));
  expect(await within(row).findByText('There is one of this name.')).toBeTruthy();
  expect(sent.at(-1)).toMatchObject({
    path: '/api/v1/saved-calls',
    body: {
      tool: 'book_room',
      name: 'Process exits (abcdef)',
      arguments: { nights: 42 },
      timeout_ms: 5_000,
      expectation: { status: 'succeeded', or_refused: true },
    },
  });
});

it('asks for confirmation of a destructive tool and sends it to the server', async () => {
  answer = async () => Response.json({ ...REPORT, findings: [] });
  const user = show({ annotations: { destructiveHint: true } });
  await begin(user, 'Probe book_room');
  expect(await screen.findByText('No findings.')).toBeTruthy();
  expect(sent).toContainEqual({ path: '/api/v1/tools/book_room/probe', body: { destructive: true } });
});

it.each<[string, Partial<Tool>, string, boolean]>([
  ['of an MCP server without hints', { runtime: 'mcp' }, 'Probe book_room', true],
  ['of an MCP server that only reads', { runtime: 'mcp', annotations: { readOnlyHint: true } }, 'Probe', false],
  ['with both hints', { annotations: { readOnlyHint: true, destructiveHint: true } }, 'Probe', false],
])('asks the same question as the server for a tool %s', async (_, change, yes, destructive) => {
  await begin(show(change), yes);
  await screen.findByRole('listitem');
  expect(sent).toContainEqual({ path: '/api/v1/tools/book_room/probe', body: { destructive } });
});

it.each([
  [0, 'Nothing was tested.'],
  [12, 'No findings in the calls that ran.'],
])('does not report "No findings." for an incomplete probe with %i answered calls', async (answered, words) => {
  const notes = ['Only some could be made up.'];
  answer = async () => Response.json({ ...REPORT, answered, findings: [], complete: false, notes });
  await begin(show(), 'Probe');
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.getByText('Only some could be made up.')).toBeTruthy();
  expect(screen.queryByText('No findings.')).toBeNull();
});

it('counts the calls while it runs, and can be stopped', async () => {
  answer = () => new Promise(() => undefined);
  const user = show();
  await begin(user, 'Probe');
  expect(await screen.findByText('0 calls so far…')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Stop probing' }));
  expect(await screen.findByText('Stopped. The calls that were made are in the history.')).toBeTruthy();
});

it('is disabled while the tool is unavailable', async () => {
  const user = show({ available: false, unavailable_reason: 'Gone.' });
  await user.click(screen.getByRole('button', { name: 'Probe this tool' }));
  expect(screen.queryByRole('alertdialog')).toBeNull();
});
