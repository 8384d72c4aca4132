import { describe, expect, it } from 'vitest';
import { type CallFilter, type CallStats, callStatsQuerySchema, callStatsSchema } from '#lib/contract/call.ts';
import { lastHourSchema } from '#lib/contract/last-hour.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Store } from './store.ts';
import { START, callEnd, finishedCall, runningCall } from './store-contract-samples.ts';

const HOUR = 3_600_000;
const at = (ms: number) => ({ startedAt: new Date(START + ms).toISOString() });
const FAILED = { status: 'failed', resultText: null, error: { kind: 'not_found', message: 'None.' } } as const;
const WRONG = { ...FAILED, error: { kind: 'invalid_parameters', message: 'No.' } } as const;

/** Queries of a long history on every database, and its retention. */
export function describeCallHistoryContract(store: () => Store, restart: () => Promise<void>): void {
  const ids = async (filter: Partial<CallFilter>) => {
    const page = await store().calls.list({ limit: LIMITS.listMost, ...filter });
    return page?.calls.map((call) => call.id);
  };
  const stats = (query: Readonly<Record<string, unknown>>): Promise<CallStats> => store().calls.stats(callStatsQuerySchema.parse(query));

  describe('the history of calls', () => {
    it('is filtered by error codes, revisions and durations, alone and combined', async () => {
      const quick = await finishedCall(store(), {}, { durationMs: 3, revision: 1 });
      const slow = await finishedCall(store(), {}, { durationMs: 900, revision: 2 });
      const wrong = await finishedCall(store(), { source: 'mcp' }, { ...WRONG, durationMs: 1, revision: 2 });
      const missing = await finishedCall(store(), {}, { ...FAILED, durationMs: 950, revision: 2 });
      expect(await ids({ error_kind: 'invalid_parameters' })).toEqual([wrong]);
      expect(await ids({ error_kind: 'invalid_parameters', source: 'mcp' })).toEqual([wrong]);
      expect(await ids({ error_kind: 'invalid_parameters', source: 'web' })).toEqual([]);
      expect(await ids({ revision: 1 })).toEqual([quick]);
      expect(await ids({ min_ms: 900 })).toEqual([missing, slow]);
      expect(await ids({ min_ms: 900, tool: 'get_weather', status: ['succeeded'], revision: 2 })).toEqual([slow]);
      expect(await ids({ max_ms: 3 })).toEqual([wrong, quick]);
      expect(await ids({ min_ms: 2, max_ms: 900 })).toEqual([slow, quick]);
      expect(await ids({ q: 'berlin', error_kind: 'not_found' })).toEqual([missing]);
    });

    it('is filtered by several statuses, alone, with other filters and a search, and counted', async () => {
      const fine = await finishedCall(store(), {}, {});
      const failed = await finishedCall(store(), { tool: 'other' }, FAILED);
      const late = await finishedCall(store(), { extension: 'b' }, { ...FAILED, status: 'timed_out' });
      const bad = { status: ['failed' as const, 'timed_out' as const] };
      expect(await ids(bad)).toEqual([late, failed]);
      expect(await ids({ ...bad, tool: 'other' })).toEqual([failed]);
      expect(await ids({ ...bad, extension: 'b' })).toEqual([late]);
      expect(await ids({ ...bad, extension: 'b', tool: 'other' })).toEqual([]);
      expect(await ids({ status: ['cancelled'], extension: 'b' })).toEqual([]);
      expect((await stats({ status: 'failed,timed_out', extension: 'b' })).total).toMatchObject({ calls: 1, failed: 1 });
      expect(await ids({ ...bad, q: 'berlin' })).toEqual([late, failed]);
      expect(await ids({ status: ['succeeded', 'failed', 'timed_out'] })).toEqual([late, failed, fine]);
      expect((await stats({ status: 'failed,timed_out' })).total).toMatchObject({ calls: 2, failed: 2 });
    });

    it('finds the few calls with two frequent values, page by page', async () => {
      const many = 2_100;
      const rare: string[] = [];
      for (let call = 0; call < 7; call += 1) rare.unshift(await finishedCall(store(), { tool: 'rare', ...at(call) }, FAILED));
      const rows = Array.from({ length: many }, (_, call) => [
        { row: runningCall({ tool: 'rare', ...at(1_000 + call) }), end: callEnd() },
        { row: runningCall({ tool: 'other', ...at(1_000 + call) }), end: callEnd(FAILED) },
      ]).flat();
      await Promise.all(rows.map(({ row }) => store().calls.insertRunning(row)));
      await Promise.all(rows.map(({ row, end }) => store().calls.finish(row.id, end)));
      const filter = { tool: 'rare', status: ['failed' as const] };
      expect(await ids(filter)).toEqual(rare);
      expect(await ids({ ...filter, since: at(2).startedAt, until: at(5).startedAt })).toEqual(rare.slice(2, 5));
      expect(await ids({ ...filter, source: 'mcp' })).toEqual([]);
      const first = await store().calls.list({ ...filter, limit: 4 });
      expect(first?.calls.map(({ id }) => id)).toEqual(rare.slice(0, 4));
      const next = await store().calls.list({ ...filter, limit: 4, cursor: first?.next_cursor ?? '' });
      expect(next?.calls.map(({ id }) => id)).toEqual(rare.slice(4));
      expect(next?.next_cursor).toBeNull();
      expect(await ids({ tool: 'other', status: ['failed'], limit: 50 })).toEqual(
        rows
          .filter(({ row }) => row.tool === 'other')
          .slice(-50)
          .map(({ row }) => row.id)
          .toReversed(),
      );
    });

    it('is filtered by the replays of one call', async () => {
      const first = await finishedCall(store());
      const again = await finishedCall(store(), { replayOf: first });
      await finishedCall(store(), { replayOf: again });
      expect(await ids({ replay_of: first })).toEqual([again]);
      expect(await ids({ replay_of: first, status: ['failed'] })).toEqual([]);
    });

    it('is counted over time, with failures and durations', async () => {
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

    it('is counted with the same filters and search as the list', async () => {
      for (let call = 0; call < 10; call += 1)
        await finishedCall(store(), { ...at(call), tool: call < 3 ? 'other' : 'get_weather' }, call < 5 ? WRONG : {});
      expect((await stats({ tool: 'other' })).total).toMatchObject({ calls: 3, failed: 3 });
      expect((await stats({ tool: 'get_weather', error_kind: 'invalid_parameters' })).total.calls).toBe(2);
      expect((await stats({ q: 'other' })).total.calls).toBe(3);
      expect((await stats({ q: 'berlin', status: 'succeeded' })).total.calls).toBe(5);
      expect((await stats({ q: ' ' })).total.calls).toBe(10);
      expect((await stats({ q: '...' })).total.calls).toBe(0);
    });

    it('is counted in the requested number of intervals, also when it is empty', async () => {
      expect((await stats({})).total).toEqual({ calls: 0, failed: 0, p50_ms: null, p95_ms: null });
      await finishedCall(store(), at(0));
      await finishedCall(store(), at(-900 * 24 * HOUR));
      const found = await stats({ buckets: 7 });
      expect(found.buckets.length).toBeLessThanOrEqual(7);
      expect(found.total.calls).toBe(2);
      expect(await store().calls.lastHour()).toMatchObject({ tools: 0, called_extensions: 0, extensions: [] });
    });

    it('compares the last hour with the one before, and lists failing and slow tools', async () => {
      const now = Date.now();
      const ago = (minutes: number) => ({ startedAt: new Date(now - minutes * 60_000).toISOString() });
      for (let call = 0; call < 5; call += 1) await finishedCall(store(), { ...ago(1), tool: 'quick' }, { durationMs: 10 });
      await finishedCall(store(), { ...ago(2), tool: 'quick' }, { ...WRONG, durationMs: 10 });
      await finishedCall(store(), { ...ago(31), tool: 'slow' }, { ...FAILED, status: 'timed_out', durationMs: 900 });
      await finishedCall(store(), { ...ago(32), tool: 'slow' }, { ...FAILED, durationMs: 900 });
      const unended = runningCall({ ...ago(33), tool: 'running' });
      await store().calls.insertRunning(unended);
      await finishedCall(store(), { ...ago(61), tool: 'earlier' }, { ...FAILED, durationMs: 50 });
      await finishedCall(store(), { ...ago(119), tool: 'earlier' }, { durationMs: 50 });
      await finishedCall(store(), { ...ago(121), tool: 'too_early' });
      const found = lastHourSchema.parse(await store().calls.lastHour());
      expect(found.last).toMatchObject({ calls: 9, failed: 2, timed_out: 1 });
      expect(found.previous).toMatchObject({ calls: 2, failed: 1, timed_out: 0 });
      expect(Date.parse(found.until) - Date.parse(found.since)).toBe(HOUR);
      expect(Date.parse(found.since) - Date.parse(found.before)).toBe(HOUR);
      expect(found.intervals.reduce((sum, interval) => sum + interval.calls, 0)).toBe(9);
      expect([found.intervals[0]?.since, found.intervals.at(-1)?.until]).toEqual([found.since, found.until]);
      expect(found.intervals[1]?.since).toMatch(/:\d[05]:00\.000Z$/);
      expect(found.tools).toBe(3);
      expect(found.failing.map(({ tool, failed, timed_out: late }) => [tool, failed, late])).toEqual([
        ['slow', 1, 1],
        ['quick', 1, 0],
      ]);
      expect(found.slowest.map(({ tool }) => tool)).toEqual(['slow', 'quick']);
      expect(found.slowest[0]?.p95_ms).toBeGreaterThan(855);
      await finishedCall(store(), { ...ago(0), tool: 'quick' }, { durationMs: 10 });
      await store().calls.finish(unended.id, callEnd({ ...FAILED, durationMs: 10 }));
      expect((await store().calls.lastHour()).last).toMatchObject({ calls: 10, failed: 3, timed_out: 1 });
    });

    it('counts the last hour of each extension in the same intervals, also for a moved tool', async () => {
      const now = Date.now();
      const ago = (minutes: number) => ({ startedAt: new Date(now - minutes * 60_000).toISOString() });
      await finishedCall(store(), { ...ago(40), tool: 'moved', extension: 'old' });
      await finishedCall(store(), { ...ago(1), tool: 'moved', extension: 'new' });
      await finishedCall(store(), { ...ago(31), tool: 'moved', extension: 'new' }, { ...FAILED, status: 'timed_out' });
      await finishedCall(store(), { ...ago(31), tool: 'other', extension: 'new' }, FAILED);
      await store().calls.insertRunning(runningCall({ ...ago(2), tool: 'other', extension: 'new' }));
      await finishedCall(store(), { ...ago(61), tool: 'earlier', extension: 'earlier' });
      const found = lastHourSchema.parse(await store().calls.lastHour());
      expect(found.called_extensions).toBe(2);
      expect(found.extensions.map(({ extension, calls, failed, timed_out: late }) => [extension, calls, failed, late])).toEqual([
        ['new', 4, 1, 1],
        ['old', 1, 0, 0],
      ]);
      expect(found.tools).toBe(2);
      const sums = (of: 'interval_calls' | 'interval_failures') =>
        found.intervals.map((_, at) => found.extensions.reduce((sum, extension) => sum + (extension[of][at] ?? 0), 0));
      expect(sums('interval_calls')).toEqual(found.intervals.map(({ calls }) => calls));
      expect(sums('interval_failures')).toEqual(found.intervals.map(({ failed, timed_out: late }) => failed + late));
      expect(found.extensions[0]?.interval_failures).toHaveLength(found.intervals.length);
      expect(Math.max(...(found.extensions[0]?.interval_failures ?? []))).toBe(2);
    });

    it('drops the oldest calls above the limit, with their index entries', async () => {
      const made: string[] = [];
      for (let call = 0; call < 10; call += 1)
        made.push(await finishedCall(store(), { ...at(call), argumentsText: `{"city":"town${call}${'x'.repeat(4_000)}"}` }));
      expect(await ids({ q: 'town2' })).toEqual([made[2]]);
      const remove = () => store().retention.calls({ keepNewest: 4, before: 0, most: 5 });
      expect([await remove(), await remove(), await remove()].map(({ count }) => count)).toEqual([5, 1, 0]);
      await restart();
      expect(await ids({})).toEqual(made.slice(6).toReversed());
      expect(await ids({ q: 'town2' })).toEqual([]);
      expect(await ids({ q: 'town8' })).toEqual([made[8]]);
      expect(await store().calls.get(made[0] ?? '')).toBeNull();
      expect((await store().calls.get(made[9] ?? ''))?.arguments).toEqual({ city: `town9${'x'.repeat(4_000)}` });
    });

    it('drops old calls, but no running one and never the newest; the next call is still found', async () => {
      const running = runningCall(at(0));
      await store().calls.insertRunning(running);
      await finishedCall(store(), at(1));
      const last = await finishedCall(store(), at(2));
      expect(await store().retention.calls({ keepNewest: 100, before: START + HOUR, most: 50 })).toMatchObject({ count: 1 });
      expect(await ids({})).toEqual([last, running.id]);
      const next = await finishedCall(store(), { ...at(3), tool: 'after_all' });
      expect(await ids({ q: 'after_all' })).toEqual([next]);
    });
  });
}
