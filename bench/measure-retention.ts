import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRetentionSweeper } from '#lib/host/retention.ts';
import { openStore } from '#lib/store/open-store.ts';
import type { Store } from '#lib/store/store.ts';
import { startPostgres } from '#lib/testing/postgres.ts';
import { ms, perSecond, quantile } from './figures.ts';
import { callAt, fillHistory } from './fill-history.ts';
import type { Section } from './report.ts';

/** Speed of retention, and how long a part blocks the event loop; then with calls that arrive meanwhile. */

const CALLS = 200_000;
const QUICK_CALLS = 20_000;
const ARRIVING_AT_ONCE = 16;
const QUICK_INGEST_SECONDS = 3;
const DELAY_MOST_MS = 20;
const NONE = { newest: Number.MAX_SAFE_INTEGER, days: 0 };

type Database = Parameters<typeof openStore>[0];

/** @param minutes of calls and retention at once, on each database */
export async function measureRetention(isQuick: boolean, minutes: number): Promise<Section> {
  const calls = isQuick ? QUICK_CALLS : CALLS;
  const seconds = isQuick ? QUICK_INGEST_SECONDS : minutes * 60;
  const kept = calls / 10;
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-bench-'));
  const postgres = await startPostgres(['shared_buffers=256MB']);
  try {
    const databases: Readonly<Record<string, Database>> = {
      SQLite: { file: path.join(folder, 'switchboard.db') },
      PostgreSQL: { url: await postgres.createDatabase() },
    };
    const removed: (readonly string[])[] = [];
    const delays = new Map<string, number>();
    for (const [name, database] of Object.entries(databases)) {
      await fillHistory(database, calls);
      const found = await onStore(database, (store) => removeCalls(store, kept));
      removed.push([
        name,
        perSecond((found.removed / found.tookMs) * 1_000),
        ms(quantile(found.pieces, 0.5)),
        ms(quantile(found.pieces, 0.99)),
        ms(found.delayP99),
        ms(found.delayWorst),
      ]);
    }
    const both: (readonly string[])[] = [];
    for (const [name, database] of Object.entries(databases)) {
      await fillHistory(database, calls - kept);
      const found = await onStore(database, (store) => ingestAndRemove(store, kept, seconds));
      delays.set(name, found.delayP99);
      both.push([
        name,
        perSecond(found.written / seconds),
        perSecond(found.removed / seconds),
        String(found.left),
        ms(found.delayP99),
        ms(found.delayWorst),
      ]);
    }
    return {
      title: 'Retention of calls',
      method: `${perSecond(calls)} indexed calls, of which the newest ${perSecond(kept)} stay. Measured in a separate process with store and sweeper only. Then as many again, of which the same number stays, while ${ARRIVING_AT_ONCE} clients write calls for ${seconds} s; the sweeper begins a round as soon as the last one ended.`,
      tables: [
        { head: ['alone', 'removed a second', 'part, p50', 'part, p99', 'delay of the event loop, p99', 'worst'], rows: removed },
        {
          head: ['with calls', 'written a second', 'removed a second', 'left at the end', 'delay of the event loop, p99', 'worst'],
          rows: both,
        },
      ],
      targets: [...delays].map(([name, found]) => ({
        target: `${name}, calls and retention at once: delay of the event loop, p99 ≤ ${DELAY_MOST_MS} ms`,
        found: ms(found),
        isMet: found <= DELAY_MOST_MS,
      })),
    };
  } finally {
    await postgres.close();
    await rm(folder, { recursive: true });
  }
}

async function onStore<Value>(database: Database, work: (store: Store) => Promise<Value>): Promise<Value> {
  const opened = await openStore(database);
  if (!opened.ok) throw new Error(opened.reason);
  // Timers of the store and of the sweeper are unreferenced.
  const open = setInterval(() => undefined, 1_000);
  try {
    return await work(opened.store);
  } finally {
    clearInterval(open);
    await opened.store.close();
  }
}

function createSweeper(store: Store, newest: number, pieces: number[]) {
  return createRetentionSweeper({
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
}

async function whileMeasured<Value>(work: () => Promise<Value>) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const value = await work();
  const tookMs = performance.now() - began;
  delay.disable();
  return { value, tookMs, delayP99: delay.percentile(99) / 1e6, delayWorst: delay.max / 1e6 };
}

async function removeCalls(store: Store, newest: number) {
  const pieces: number[] = [];
  const sweeper = createSweeper(store, newest, pieces);
  const { value: removed, ...measured } = await whileMeasured(() => sweeper.sweep());
  sweeper.close();
  return { removed, pieces, ...measured };
}

async function ingestAndRemove(store: Store, newest: number, seconds: number) {
  const sweeper = createSweeper(store, newest, []);
  let written = 0;
  let removed = 0;
  const until = performance.now() + seconds * 1_000;
  const write = async (): Promise<void> => {
    while (performance.now() < until) {
      const { begun, end } = callAt(written, Date.now());
      written += 1;
      await store.calls.insertRunning(begun);
      await store.calls.finish(begun.id, end);
    }
  };
  const sweep = async (): Promise<void> => {
    while (performance.now() < until) removed += await sweeper.sweep();
  };
  const measured = await whileMeasured(() => Promise.all([sweep(), ...Array.from({ length: ARRIVING_AT_ONCE }, write)]));
  sweeper.close();
  const { total } = await store.calls.stats({ buckets: 1, since: new Date(0).toISOString() });
  return { ...measured, written, removed, left: total.calls };
}
