import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStore } from './open-store.ts';
import { BACKLOG_MOST } from './search-index.ts';
import { callEnd, runningCall } from './store-contract-samples.ts';
import type { Store } from './store.ts';

/** More at once than the index is filled beside. */
const BURST = 120;
const LOOK_MS = 250;

let folder: string;
let file: string;
let store: Store;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-index-'));
  file = path.join(folder, 'switchboard.db');
  store = opened();
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function opened(): Store {
  const result = openStore({ file });
  if (!result.ok) throw new Error(result.reason);
  return result.store;
}

async function writeBurst(city: string): Promise<string[]> {
  const rows = Array.from({ length: BURST }, () => runningCall({ argumentsText: JSON.stringify({ city }) }));
  await Promise.all(rows.map((row) => store.calls.insertRunning(row)));
  await Promise.all(rows.map((row) => store.calls.finish(row.id, callEnd({ resultText: '{"sky":"clear"}' }))));
  return rows.map((row) => row.id);
}

const found = (q: string): number => store.calls.list({ q, limit: 200 })?.calls.length ?? 0;

function indexed(): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = Number(db.prepare('select count(*) as count from call_search_docsize').get()?.['count']);
  db.close();
  return count;
}

it('leaves a burst of calls to the pause behind it', async () => {
  await writeBurst('Oslo');
  vi.advanceTimersByTime(LOOK_MS);
  expect(indexed()).toBe(0);
  vi.advanceTimersByTime(LOOK_MS);
  expect(indexed()).toBe(BURST);
});

it('finds the calls of a burst that is not indexed yet', async () => {
  await writeBurst('Oslo');
  expect(indexed()).toBe(0);
  expect(found('oslo clear')).toBe(BURST);
});

it('indexes a few calls without waiting for a pause', async () => {
  const row = runningCall({ argumentsText: '{"city":"Lima"}' });
  await store.calls.insertRunning(row);
  vi.advanceTimersByTime(LOOK_MS);
  expect(indexed()).toBe(1);
  await store.calls.finish(row.id, callEnd({ resultText: '{"sky":"grey"}' }));
  vi.advanceTimersByTime(LOOK_MS);
  expect(found('lima grey')).toBe(1);
});

it('does not wait for a pause that never comes', async () => {
  for (let written = 0; written <= BACKLOG_MOST; written += BURST) {
    await writeBurst('Oslo');
    vi.advanceTimersByTime(LOOK_MS);
  }
  expect(indexed()).toBeGreaterThan(0);
}, 30_000);

it('catches up after a restart with what was left', async () => {
  await writeBurst('Oslo');
  await store.close();
  expect(indexed()).toBe(0);
  store = opened();
  vi.advanceTimersByTime(LOOK_MS);
  expect(indexed()).toBe(BURST);
  expect(found('oslo clear')).toBe(BURST);
});
