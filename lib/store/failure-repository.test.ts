import { afterEach, expect, test } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { occurrence, openTemporaryStore } from './store-contract-samples.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

test('keeps the newest groups of an extension, and older ones that people worked on', async () => {
  const { store, close } = await openTemporaryStore();
  closers.push(close);
  const record = (at: number) =>
    store.commitSet(
      async (writes) =>
        await writes.recordFailure(
          occurrence({
            fingerprint: `f${at}`,
            message: `other words ${at}`,
            seenAt: new Date(Date.UTC(2026, 2, 1) + at * 1_000).toISOString(),
          }),
        ),
    );
  const act = { actor: 'Ada', at: '2026-03-02T00:00:00.000Z' };
  const assigned = (await record(0)).group_id;
  const commented = (await record(1)).group_id;
  const forgotten = (await record(2)).group_id;
  await store.failureGroups.change(assigned, { assignee: 'Ada' }, act);
  await store.failureGroups.comment(commented, 'Seen.', [], act);
  const others = Array.from({ length: LIMITS.failureGroupsKept }, (_, at) => at + 3);
  const last = (await Promise.all(others.map(record))).at(-1)?.group_id ?? '';
  const now = new Date();
  expect((await store.failureGroups.counts()).open).toBe(LIMITS.failureGroupsKept);
  const kept = [assigned, commented, last].map((id) => store.failureGroups.get(id, now));
  expect((await Promise.all(kept)).map((group) => group?.id)).toEqual([assigned, commented, last]);
  expect(await store.failureGroups.get(forgotten, now)).toBeNull();
  expect((await record(2)).group_id).not.toBe(forgotten);
});
