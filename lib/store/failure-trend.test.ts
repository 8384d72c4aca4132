import { afterEach, expect, test } from 'vitest';
import { occurrence, openTemporaryStore } from './store-contract-samples.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

test('counts each occurrence in the bar of its time, also at the edge between two bars', async () => {
  const { store, close } = await openTemporaryStore();
  closers.push(close);
  const now = Date.UTC(2026, 2, 1, 12);
  // An hour in 24 bars of 150 s.
  const agos = [2_000, 31_000, 149_000, 151_000, 1_000_000, 3_599_000];
  let id = '';
  for (const ago of agos.toReversed())
    id = (await store.commitSet(async (writes) => await writes.recordFailure(occurrence({ seenAt: new Date(now - ago).toISOString() }))))
      .group_id;
  const trend = (await store.failureGroups.get(id, new Date(now)))?.trend;
  expect(trend?.span_ms).toBe(150_000);
  const expected = Array.from({ length: 24 }, () => 0);
  expected[23] = 3;
  expected[22] = 1;
  expected[17] = 1;
  expected[0] = 1;
  expect(trend?.counts).toEqual(expected);
});
