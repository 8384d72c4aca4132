import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createProcessMetrics } from './host-metrics.ts';

it('reports the same event loop lag to every reader', async () => {
  const registry = new Registry();
  const metrics = createProcessMetrics(registry);
  const lag = async () => (await registry.getSingleMetric('switchboard_event_loop_lag_seconds')?.get())?.values ?? [];
  const worst = async () => Math.max(0, ...(await lag()).map(({ value }) => value));
  expect(await lag()).toEqual([]);
  await expect.poll(async () => (await lag()).length).toBe(3);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await expect.poll(worst).toBeGreaterThan(0.1);
  expect(await worst()).toBeGreaterThan(0.1);
  metrics.close();
});
