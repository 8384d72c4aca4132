import { expect, it } from 'vitest';
import { type CallStats, type CallStatsQuery, callStatsQuerySchema } from '#lib/contract/call.ts';
import { createStatsCache } from './stats-cache.ts';

const NONE = { calls: 0, failed: 0, p50_ms: null, p95_ms: null };
const STATS: CallStats = { since: '', until: '', bucket_ms: 1, buckets: [], total: NONE, complete: true };
const query = (more: object = {}) => callStatsQuerySchema.parse(more);

function start(work: () => Promise<CallStats> = () => Promise.resolve(STATS), takes = 1_000) {
  let time = 0;
  let asked = 0;
  const cache = createStatsCache<CallStatsQuery, CallStats>(
    async () => {
      asked += 1;
      const stats = await work();
      time += takes;
      return stats;
    },
    () => time,
  );
  return { cache, asked: () => asked, pass: (ms: number) => void (time += ms) };
}

it('counts once for concurrent requests, and again after ten times the duration', async () => {
  const { cache, asked, pass } = start();
  await Promise.all([cache.of(query()), cache.of(query())]);
  pass(9_999);
  expect(await cache.of(query())).toBe(STATS);
  expect(asked()).toBe(1);
  pass(1);
  await cache.of(query());
  expect(asked()).toBe(2);
});

it('repeats a fast count once for all concurrent requests', async () => {
  const { cache, asked } = start(undefined, 10);
  await Promise.all([cache.of(query()), cache.of(query()), cache.of(query())]);
  expect(asked()).toBe(2);
  await cache.of(query());
  expect(asked()).toBe(3);
});

it('shares a count between equal filters only', async () => {
  const { cache, asked } = start();
  await cache.of(query({ tool: 'a', status: 'failed' }));
  await cache.of(query({ status: 'failed', tool: 'a' }));
  expect(asked()).toBe(1);
  await cache.of(query({ tool: 'a' }));
  expect(asked()).toBe(2);
});

it('drops failed counts, and the oldest of many', async () => {
  let broken = true;
  const { cache, asked } = start(() => (broken ? Promise.reject(new Error('locked')) : Promise.resolve(STATS)));
  await expect(cache.of(query())).rejects.toThrow('locked');
  broken = false;
  await cache.of(query());
  expect(asked()).toBe(2);
  for (let at = 0; at < 20; at += 1) await cache.of(query({ tool: `t${at}` }));
  await cache.of(query());
  expect(asked()).toBe(23);
});
