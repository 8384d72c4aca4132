import { describe, expect, it } from 'vitest';
import { callStatsQuerySchema, callStatsSchema } from '#lib/contract/call.ts';
import type { CallFilter, CallStats } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Store } from './store.ts';
import { START, finishedCall, runningCall } from './store-contract-samples.ts';

const HOUR = 3_600_000;
const at = (ms: number) => ({ startedAt: new Date(START + ms).toISOString() });
const FAILED = { status: 'failed', resultText: null, error: { kind: 'not_found', message: 'None.' } } as const;
const WRONG = { ...FAILED, error: { kind: 'invalid_parameters', message: 'No.' } } as const;

/** What every database must answer about a long history, and how it is kept from growing without end. */
export function describeCallHistoryContract(store: () => Store, restart: () => Promise<void>): void {
  const ids = (filter: Partial<CallFilter>) =>
    store()
      .calls.list({ limit: LIMITS.listMost, ...filter })
      ?.calls.map((call) => call.id);
  const stats = (query: Readonly<Record<string, unknown>>): Promise<CallStats> => store().calls.stats(callStatsQuerySchema.parse(query));

  describe('the history of calls', () => {
    it('is narrowed to kinds of errors, revisions and durations, alone and together', async () => {
      const quick = await finishedCall(store(), {}, { durationMs: 3, revision: 1 });
      const slow = await finishedCall(store(), {}, { durationMs: 900, revision: 2 });
      const wrong = await finishedCall(store(), { source: 'mcp' }, { ...WRONG, durationMs: 1, revision: 2 });
      const missing = await finishedCall(store(), {}, { ...FAILED, durationMs: 950, revision: 2 });
      expect(ids({ error_kind: 'invalid_parameters' })).toEqual([wrong]);
      expect(ids({ error_kind: 'invalid_parameters', source: 'mcp' })).toEqual([wrong]);
      expect(ids({ error_kind: 'invalid_parameters', source: 'web' })).toEqual([]);
      expect(ids({ revision: 1 })).toEqual([quick]);
      expect(ids({ min_ms: 900 })).toEqual([missing, slow]);
      expect(ids({ min_ms: 900, tool: 'get_weather', status: 'succeeded', revision: 2 })).toEqual([slow]);
      expect(ids({ q: 'berlin', error_kind: 'not_found' })).toEqual([missing]);
    });

    it('is counted over time, with what failed and how long it took', async () => {
      for (let call = 0; call < 20; call += 1) await finishedCall(store(), at(call * 60_000), { durationMs: call === 19 ? 500 : 10 });
      await finishedCall(store(), at(30 * 60_000), { ...FAILED, durationMs: 10 });
      await store().calls.insertRunning(runningCall(at(30 * 60_000 + 1)));
      const time = { since: new Date(START).toISOString(), until: new Date(START + HOUR).toISOString() };
      const found = callStatsSchema.parse(await stats({ ...time, buckets: 12 }));
      expect(found).toMatchObject({ since: time.since, until: time.until, bucket_ms: 300_000, complete: true });
      expect(found.buckets.map((bucket) => bucket.calls)).toEqual([5, 5, 5, 5, 0, 0, 2, 0, 0, 0, 0, 0]);
      expect(found.buckets.map((bucket) => bucket.failed)).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
      expect(found.buckets[1]?.at).toBe(new Date(START + 300_000).toISOString());
      expect(found.buckets[4]).toMatchObject({ p50_ms: null, p95_ms: null });
      expect(found.total).toMatchObject({ calls: 22, failed: 1 });
      expect(found.total.p50_ms).toBeGreaterThan(9.5);
      expect(found.total.p50_ms).toBeLessThan(10.5);
      expect(found.buckets[3]?.p95_ms).toBeGreaterThan(475);
      expect(found.buckets[3]?.p95_ms).toBeLessThan(525);
    });

    it('is counted as it is listed: by filters and by words', async () => {
      for (let call = 0; call < 10; call += 1)
        await finishedCall(store(), { ...at(call), tool: call < 3 ? 'other' : 'get_weather' }, call < 5 ? WRONG : {});
      expect((await stats({ tool: 'other' })).total).toMatchObject({ calls: 3, failed: 3 });
      expect((await stats({ tool: 'get_weather', error_kind: 'invalid_parameters' })).total.calls).toBe(2);
      expect((await stats({ q: 'other' })).total.calls).toBe(3);
      expect((await stats({ q: 'berlin', status: 'succeeded' })).total.calls).toBe(5);
      expect((await stats({ q: '...' })).total.calls).toBe(10);
    });

    it('is counted in as few intervals as were asked for, also when it is empty', async () => {
      expect((await stats({})).total).toEqual({ calls: 0, failed: 0, p50_ms: null, p95_ms: null });
      await finishedCall(store(), at(0));
      await finishedCall(store(), at(-900 * 24 * HOUR));
      const found = await stats({ buckets: 7 });
      expect(found.buckets.length).toBeLessThanOrEqual(7);
      expect(found.total.calls).toBe(2);
    });

    it('drops the oldest beyond the most that are kept, with what was searched in them', async () => {
      const made: string[] = [];
      for (let call = 0; call < 10; call += 1)
        made.push(await finishedCall(store(), { ...at(call), argumentsText: `{"city":"town${call}${'x'.repeat(4_000)}"}` }));
      expect(ids({ q: 'town2' })).toEqual([made[2]]);
      const remove = () => store().calls.removeOld({ keepNewest: 4, before: 0, most: 5 });
      expect([await remove(), await remove(), await remove()]).toEqual([5, 1, 0]);
      await restart();
      expect(ids({})).toEqual(made.slice(6).toReversed());
      expect(ids({ q: 'town2' })).toEqual([]);
      expect(ids({ q: 'town8' })).toEqual([made[8]]);
      expect(store().calls.get(made[0] ?? '')).toBeNull();
      expect(store().calls.get(made[9] ?? '')?.arguments).toEqual({ city: `town9${'x'.repeat(4_000)}` });
    });

    it('drops what is too old, but nothing that runs and never the newest; the next call is found all the same', async () => {
      const running = runningCall(at(0));
      await store().calls.insertRunning(running);
      await finishedCall(store(), at(1));
      const last = await finishedCall(store(), at(2));
      expect(await store().calls.removeOld({ keepNewest: 100, before: START + HOUR, most: 50 })).toBe(1);
      expect(ids({})).toEqual([last, running.id]);
      const next = await finishedCall(store(), { ...at(3), tool: 'after_all' });
      expect(ids({ q: 'after_all' })).toEqual([next]);
    });
  });
}
