import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { queries } from './queries.ts';
import { cacheStarted } from './started-call.ts';
import type { Call } from '#lib/contract/call.ts';
import { runningCallRecord } from '#lib/testing/api-records.ts';

const RUNNING = runningCallRecord({
  started_at: '2026-03-01T12:00:00.000Z',
  truncated: false,
});
const ENDED: Call = { ...RUNNING, status: 'succeeded', result: 1, finished_at: '2026-03-01T12:00:00.009Z', duration_ms: 9 };

const client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
afterEach(() => client.clear());

/** Observes the call like a page that shows it. */
function show(): { readonly read: () => Call | undefined; readonly stop: () => void } {
  const observer = new QueryObserver(client, { ...queries.call('c1'), refetchInterval: false });
  const stop = observer.subscribe(() => undefined);
  return { read: () => observer.getCurrentResult().data, stop };
}

it('a call that ended before its start response is read again when shown', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(ENDED)));
  cacheStarted(client, RUNNING);
  const { read, stop } = show();
  expect(read()?.status).toBe('running');
  await vi.waitFor(() => expect(read()?.status).toBe('succeeded'));
  stop();
});

it('the start response does not replace a known end', () => {
  client.setQueryData(queries.call('c1').queryKey, ENDED);
  cacheStarted(client, RUNNING);
  expect(client.getQueryData(queries.call('c1').queryKey)?.status).toBe('succeeded');
});

it('a call that has ended in its start response is not read again', () => {
  const fetched = vi.fn<() => Promise<Response>>();
  vi.stubGlobal('fetch', fetched);
  cacheStarted(client, ENDED);
  const { read, stop } = show();
  expect(read()?.status).toBe('succeeded');
  expect(fetched).not.toHaveBeenCalled();
  stop();
});
