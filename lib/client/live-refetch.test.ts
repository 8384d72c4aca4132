import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLiveRefetch, type LiveRefetch } from './live-refetch.ts';
import { keys } from './queries.ts';
import { createQueryClient } from './query-client.ts';
import { savedCallKeys } from './saved-call-queries.ts';

let refetch: LiveRefetch;
let client = createQueryClient();
let reads = 0;
let answer: () => void = () => undefined;
let end: () => void = () => undefined;

/** Observes a query; each read resolves when `answer` is called. */
async function watchQuery(queryKey: readonly unknown[]) {
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: () => {
      reads += 1;
      return new Promise<number>((resolve) => {
        const nth = reads;
        answer = () => resolve(nth);
      });
    },
  });
  end = observer.subscribe(() => undefined);
  answer();
  await vi.advanceTimersByTimeAsync(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  client = createQueryClient();
  reads = 0;
  refetch = createLiveRefetch(client);
});

afterEach(() => {
  end();
  refetch.close();
  client.clear();
  vi.useRealTimers();
});

it('refetches invalidated queries once per burst', async () => {
  await watchQuery(keys.extensions);
  for (let event = 0; event < 50; event += 1) refetch.event('snapshot.changed', { snapshot_version: event });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(2);
});

it('does not refetch unaffected queries', async () => {
  await watchQuery(keys.extension('weather'));
  refetch.event('extension.loaded', { snapshot_version: 1, extension: 'shell' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(1);
});

it('refetches a conversation only for its own events', async () => {
  await watchQuery(keys.messages('web'));
  refetch.event('message.received', { snapshot_version: 1, channel: 'telegram', message_id: 'a' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(1);
  refetch.event('message.received', { snapshot_version: 1, channel: 'web', message_id: 'b' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(2);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  refetch.event('channel.changed', { snapshot_version: 1, channel: 'web' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(3);
});

it('never cancels a running fetch, and refetches afterwards', async () => {
  await watchQuery(keys.extensions);
  refetch.event('snapshot.changed', { snapshot_version: 1 });
  await vi.advanceTimersByTimeAsync(100);
  expect(reads).toBe(2);
  refetch.event('snapshot.changed', { snapshot_version: 2 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reads).toBe(2);
  answer();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(3);
});

it('refetches everything after a resync and when a stream opens', async () => {
  await watchQuery(keys.tool('add'));
  refetch.event('host.resync', { snapshot_version: 1 });
  await vi.advanceTimersByTimeAsync(100);
  answer();
  await vi.advanceTimersByTimeAsync(0);
  refetch.opened();
  await vi.advanceTimersByTimeAsync(100);
  expect(reads).toBe(3);
});

it('waits until a hidden page is visible', async () => {
  await watchQuery(keys.extensions);
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  refetch.event('snapshot.changed', { snapshot_version: 1 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toBe(1);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(100);
  expect(reads).toBe(2);
});

it('refetches only the saved calls of a tool when they change or one is judged', async () => {
  await watchQuery(savedCallKeys.list('get_weather'));
  refetch.event('snapshot.changed', { snapshot_version: 1, tool: 'get_weather' });
  await vi.advanceTimersByTimeAsync(1_000);
  answer();
  refetch.event('call.progress', { snapshot_version: 1, tool: 'get_weather', call_id: 'c', status: 'succeeded' });
  await vi.advanceTimersByTimeAsync(1_000);
  answer();
  expect(reads).toBe(3);
  refetch.event('call.progress', { snapshot_version: 1, tool: 'get_weather', call_id: 'c', status: 'running' });
  refetch.event('snapshot.changed', { snapshot_version: 1, tool: 'other' });
  refetch.event('snapshot.changed', { snapshot_version: 2 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(3);
});
