import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { callEnd } from './call-end.ts';
import { keys } from './queries.ts';
import { runningCallRecord } from '#lib/testing/api-records.ts';

const CALL = runningCallRecord();

function follow(answer: () => Response) {
  vi.stubGlobal('fetch', async () => answer());
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(keys.call('c1'), CALL);
  let isOver = false;
  const over = callEnd(client, 'c1').then(() => {
    isOver = true;
  });
  return { client, over, isOver: () => isOver };
}

test('resolves when the call has ended', async () => {
  let answer = CALL;
  const { client, over, isOver } = follow(() => Response.json(answer));
  await client.refetchQueries({ queryKey: keys.call('c1') });
  expect(isOver()).toBe(false);
  answer = { ...CALL, status: 'succeeded' };
  await client.refetchQueries({ queryKey: keys.call('c1') });
  await over;
});

test('resolves if the call can no longer be read', async () => {
  const { over, isOver } = follow(() => new Response('', { status: 500 }));
  await over;
  expect(isOver()).toBe(true);
});
