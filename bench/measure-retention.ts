import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRetentionSweeper } from '#lib/host/retention.ts';
import { openStore } from '#lib/store/open-store.ts';
import { ms, perSecond, quantile } from './figures.ts';
import { fillHistory } from './fill-history.ts';
import type { Section } from './report.ts';

/** Speed of retention, and how long a batch blocks the event loop. */

const CALLS = 200_000;
const QUICK_CALLS = 20_000;
const NONE = { newest: Number.MAX_SAFE_INTEGER, days: 0 };

export async function measureRetention(isQuick: boolean): Promise<Section> {
  const calls = isQuick ? QUICK_CALLS : CALLS;
  const kept = calls / 10;
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-bench-'));
  try {
    await fillHistory(folder, calls);
    const found = await removeCalls(folder, kept);
    return {
      title: 'Retention of calls',
      method: `${perSecond(calls)} indexed calls, of which the newest ${perSecond(kept)} stay. Measured in a separate process with store and sweeper only.`,
      tables: [
        {
          head: ['', 'found'],
          rows: [
            ['deleted calls per second', perSecond((found.removed / found.tookMs) * 1_000)],
            ['processor time per call', ms(found.cpuMs / found.removed)],
            ['batch, p50', ms(quantile(found.pieces, 0.5))],
            ['batch, p99', ms(quantile(found.pieces, 0.99))],
            ['batch, worst', ms(Math.max(...found.pieces))],
            ['delay of the event loop, p99', ms(found.delayP99)],
            ['delay of the event loop, worst', ms(found.delayWorst)],
          ],
        },
      ],
      aims: [],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function removeCalls(folder: string, newest: number) {
  const opened = await openStore({ file: path.join(folder, 'switchboard.db') });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  const pieces: number[] = [];
  const sweeper = createRetentionSweeper({
    retention: {
      ...store.retention,
      async calls(limits) {
        const removed = await store.retention.calls(limits);
        pieces.push(removed.tookMs);
        return removed;
      },
    },
    kept: { calls: { newest, days: 0 }, snapshots: NONE, revisions: NONE, failures: NONE, messages: NONE },
    onError(_, error) {
      throw error;
    },
  });
  // The sweeper's timers are unreferenced.
  const open = setInterval(() => undefined, 1_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const removed = await sweeper.sweep();
  const tookMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  clearInterval(open);
  sweeper.close();
  await store.close();
  return { removed, tookMs, pieces, cpuMs: (user + system) / 1_000, delayP99: delay.percentile(99) / 1e6, delayWorst: delay.max / 1e6 };
}
