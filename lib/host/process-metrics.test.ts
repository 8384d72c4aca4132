import { expect, it } from 'vitest';
import { createProcessMetrics } from './process-metrics.ts';

it('the lag of the event loop is the same for everybody who looks', async () => {
  const metrics = createProcessMetrics();
  const lag = () => metrics.families().find(({ name }) => name === 'switchboard_event_loop_lag_seconds')?.samples ?? [];
  const worst = () => Math.max(0, ...lag().map(({ value }) => value));
  expect(lag()).toEqual([]);
  await expect.poll(() => lag().length).toBe(3);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await expect.poll(worst).toBeGreaterThan(0.1);
  expect(worst()).toBeGreaterThan(0.1);
  metrics.close();
});
