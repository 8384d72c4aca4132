import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import { queries } from '#lib/client/queries.ts';
import type { WatchSelfTest, WatchState } from '#lib/contract/extension.ts';
import { API } from '#lib/contract/paths.ts';
import { watchInWords } from './WatchBadge.tsx';
import { selfTestInWords, WatchPanel } from './WatchPanel.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const AT = '2026-11-22T10:00:00.000Z';
const SEEN: WatchState = { mode: 'native', reason: null, self_test: { result: 'seen', reason: null, at: AT, duration_ms: 12 } };
const BLIND: WatchState = {
  mode: 'blind',
  reason: 'it does not appear',
  self_test: { ...SEEN.self_test, result: 'not_seen', reason: 'not noticed' },
};

function show(watch: WatchState) {
  const client = createQueryClient();
  client.setQueryData(queries.extensions().queryKey, { version: 1, watch, loading: null, extensions: [] });
  render(
    <QueryClientProvider client={client}>
      <WatchPanel />
    </QueryClientProvider>,
  );
}

it('tests watching on request, with a pending state and the result', async () => {
  let answer: (response: Response) => void = () => undefined;
  const requests = vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  show(BLIND);
  expect(screen.getByText('Not seeing changes')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Test again' }));
  expect((await screen.findByRole('button', { name: 'Testing…' })).getAttribute('aria-busy')).toBe('true');
  expect(requests.mock.calls.map(([path, init]) => [path, init?.method])).toEqual([[API.testWatching, 'POST']]);
  answer(Response.json(SEEN));
  expect(await screen.findByText('Test passed: saved files are detected.')).toBeTruthy();
  expect(screen.getByText('Watching')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Test again' })).toBeTruthy();
});

it('says why the test failed to start', async () => {
  const problem = { type: 'about:blank', title: 'Stopping', status: 500, code: 'internal', detail: 'The server is stopping.' };
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(
    Response.json(problem, { status: 500, headers: { 'content-type': 'application/problem+json' } }),
  );
  show(SEEN);
  await userEvent.click(screen.getByRole('button', { name: 'Test again' }));
  expect((await screen.findByRole('alert')).textContent).toMatch(/^The test could not run\. /);
});

it('describes the state of watching and its reason', () => {
  expect(watchInWords(SEEN)).toBe('Saved files are served automatically.');
  expect(watchInWords(BLIND)).toBe('Watching does not work here. Press Reload after saving. Why: it does not appear.');
});

it('offers no test if watching is off', () => {
  show({ mode: 'off', reason: null, self_test: { result: 'not_run', reason: 'off', at: null, duration_ms: null } });
  expect(screen.getByText('Not watching')).toBeTruthy();
  expect(screen.queryByRole('button')).toBeNull();
});

const NOW = Date.parse('2026-11-22T12:03:00Z');

function words(test: Partial<WatchSelfTest>): string {
  const nothing: WatchSelfTest = { result: 'running', reason: null, at: null, duration_ms: null };
  return selfTestInWords({ mode: 'native', reason: null, self_test: { ...nothing, ...test } }, NOW);
}

it('says whether the probe file was seen, how fast and when', () => {
  const at = '2026-11-22T12:00:00Z';
  expect(words({ result: 'seen', at, duration_ms: 12 })).toBe('A probe file was seen after 12.0 ms, 3 min ago.');
  expect(words({ result: 'not_seen', at, duration_ms: 2_000, reason: 'the probe file was not detected within 2 s' })).toBe(
    'Test failed: the probe file was not detected within 2 s, 3 min ago.',
  );
});

it('says that the test is running, or why it did not run', () => {
  expect(words({})).toBe('Testing with a probe file…');
  expect(words({ result: 'not_run', reason: 'no file can be written into the folder' })).toBe(
    'Not tested: no file can be written into the folder.',
  );
});
