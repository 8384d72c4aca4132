import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EventToShare, SharedStore } from '#lib/store/instance-store.ts';
import { createSharedEventLog } from './shared-event-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function start() {
  const appends: { readonly types: readonly string[]; end(): void; fail(): void }[] = [];
  const events: SharedStore['events'] = {
    append: (_, batch: readonly EventToShare[]) =>
      new Promise((resolve, reject) => {
        appends.push({ types: batch.map(({ type }) => type), end: resolve, fail: () => reject(new Error('away')) });
      }),
    after: async () => [],
    newestId: async () => 0,
    trim: async () => undefined,
  };
  const log = await createSharedEventLog({
    shared: { events, notices: { send: () => undefined, on: () => () => undefined } },
    instance: () => 'one',
    onListenerError: () => undefined,
  });
  const publish = (type: EventToShare['type']): void => log.publish(type, { snapshot_version: 1 });
  return { appends, publish, typesOf: () => appends.map(({ types }) => types) };
}

it('sends events published during a statement with the next one, without the pause after an error', async () => {
  const { appends, publish, typesOf } = await start();
  publish('call.started');
  await vi.advanceTimersByTimeAsync(20);
  publish('call.finished');
  await vi.advanceTimersByTimeAsync(20);
  expect(typesOf()).toEqual([['call.started']]);
  appends[0]?.end();
  await vi.advanceTimersByTimeAsync(20);
  expect(typesOf()).toEqual([['call.started'], ['call.finished']]);
});

it('buffers events that the database rejected, and sends them in order after a pause', async () => {
  const { appends, publish, typesOf } = await start();
  publish('call.started');
  await vi.advanceTimersByTimeAsync(20);
  publish('call.finished');
  appends[0]?.fail();
  await vi.advanceTimersByTimeAsync(20);
  expect(typesOf()).toEqual([['call.started']]);
  await vi.advanceTimersByTimeAsync(480);
  expect(typesOf()).toEqual([['call.started'], ['call.started', 'call.finished']]);
});
