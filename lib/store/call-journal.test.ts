import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { callStatsQuerySchema } from '#lib/contract/call.ts';
import { createCallJournal } from './call-journal.ts';
import { splitRunning } from './call-rows.ts';
import { openDatabaseFile } from './database-file.ts';
import { openStore } from './open-store.ts';
import { createQueryBuilder } from './query-builder.ts';
import { createConnection } from './sqlite-connection.ts';
import { storageError } from './storage-error.ts';
import { callEnd, finishedCall, runningCall, START } from './store-contract-samples.ts';
import type { Store } from './store.ts';

const FILED_AFTER_MS = 100;
const FILED_FROM = 128;
const KEPT_MOST = 4_096;
const LARGE = JSON.stringify('x'.repeat(100_000));

let folder: string;
let file: string;
let store: Store;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-journal-'));
  file = path.join(folder, 'switchboard.db');
  store = opened(file);
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function opened(place: string): Store {
  const result = openStore({ file: place });
  if (!result.ok) throw new Error(result.reason);
  return result.store;
}

/** What lies on the disk, beside the store that is open. */
function onDisk(rows: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = Number(db.prepare(`select count(*) as count from ${rows}`).get()?.['count']);
  db.close();
  return count;
}

/** The database as the next start would find it if the host died now. */
function diedNow(): Store {
  const place = path.join(folder, 'after.db');
  copyFileSync(file, place);
  copyFileSync(`${file}-wal`, `${place}-wal`);
  return opened(place);
}

it('files calls that have ended after a moment, in one go', async () => {
  await finishedCall(store);
  await finishedCall(store);
  expect([onDisk('calls'), onDisk('call_journal')]).toEqual([0, 4]);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  expect([onDisk('calls'), onDisk('call_journal')]).toEqual([2, 0]);
});

it('does not wait for the moment when there are many', async () => {
  await Promise.all(Array.from({ length: FILED_FROM }, () => finishedCall(store)));
  await turn();
  expect(onDisk('calls')).toBe(FILED_FROM);
});

it('passes a call that runs over once, and files it then as one that runs', async () => {
  const row = runningCall();
  await store.calls.insertRunning(row);
  await finishedCall(store);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  expect([onDisk('calls'), onDisk('call_journal')]).toEqual([1, 1]);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  expect([onDisk("calls where status = 'running'"), onDisk('call_journal')]).toEqual([1, 0]);
  await store.calls.finish(row.id, callEnd());
  expect(onDisk("calls where status = 'succeeded'")).toBe(2);
});

it('keeps the order of arrival, whatever is filed first', async () => {
  const first = runningCall();
  await store.calls.insertRunning(first);
  const second = await finishedCall(store);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  const third = await finishedCall(store, { argumentsText: LARGE });
  await store.calls.finish(first.id, callEnd());
  const inOrder = [third, second, first.id];
  expect(store.calls.list({ limit: 10 })?.calls.map(({ id }) => id)).toEqual(inOrder);
  expect(store.calls.list({ limit: 10, q: 'weather' })?.calls.map(({ id }) => id)).toEqual(inOrder);
  const after = diedNow();
  const fourth = await finishedCall(after);
  expect(after.calls.list({ limit: 1 })?.calls.map(({ id }) => id)).toEqual([fourth]);
  await after.close();
});

it('shows every reader what is not filed yet', async () => {
  const id = await finishedCall(store);
  expect(store.calls.get(id)?.status).toBe('succeeded');
  await finishedCall(store);
  expect(store.calls.list({ limit: 10 })?.calls).toHaveLength(2);
  await finishedCall(store);
  expect(store.calls.list({ limit: 10, q: 'berlin' })?.calls).toHaveLength(3);
  await finishedCall(store);
  const span = { since: new Date(START - 1_000).toISOString(), until: new Date(START + 1_000).toISOString() };
  expect((await store.calls.stats(callStatsQuerySchema.parse(span))).total.calls).toBe(4);
  expect(onDisk('call_journal')).toBe(0);
});

it('knows after the death of the host what had begun and what had ended', async () => {
  const begun = runningCall({ argumentsText: '{"city":"Lima"}' });
  await store.calls.insertRunning(begun);
  const ended = await finishedCall(store, {}, { resultText: '{"degrees":-3}' });
  const large = await finishedCall(store, { argumentsText: LARGE }, { resultText: LARGE });
  const after = diedNow();
  expect(after.calls.get(begun.id)).toMatchObject({ status: 'running', arguments: { city: 'Lima' }, result: null });
  expect(after.calls.get(ended)).toMatchObject({ status: 'succeeded', result: { degrees: -3 }, duration_ms: 12.345 });
  expect(after.calls.get(large)).toMatchObject({ arguments: JSON.parse(LARGE), result: JSON.parse(LARGE) });
  expect(after.calls.closeInterrupted()).toBe(1);
  await after.close();
});

it('does not write large values twice', async () => {
  await finishedCall(store, { argumentsText: LARGE }, { resultText: LARGE });
  await finishedCall(store, {}, { resultText: LARGE });
  expect(onDisk('call_journal where length(entry_json) > 10000')).toBe(0);
  expect(onDisk('call_payloads')).toBe(2);
});

it('refuses a second beginning and another end, filed or not, and takes the same end for done', async () => {
  const row = runningCall();
  await store.calls.insertRunning(row);
  await expect(store.calls.insertRunning(row)).rejects.toThrow(/begun before/);
  await store.calls.finish(row.id, callEnd());
  const other = callEnd({ status: 'failed', resultText: null });
  await store.calls.finish(row.id, callEnd());
  await expect(store.calls.finish(row.id, other)).rejects.toThrow(/is not running/);
  expect(store.calls.get(row.id)?.status).toBe('succeeded');
  await store.calls.finish(row.id, callEnd());
  await expect(store.calls.finish(row.id, other)).rejects.toThrow(/is not running/);
  await expect(store.calls.finish(runningCall().id, callEnd())).rejects.toThrow(/is not running/);
  expect(store.calls.get(row.id)?.status).toBe('succeeded');
});

it('shows a single call while another connection holds the lock', async () => {
  const row = runningCall();
  await store.calls.insertRunning(row);
  const id = await finishedCall(store);
  const holder = new DatabaseSync(file);
  holder.exec('begin immediate');
  expect(store.calls.get(row.id)).toMatchObject({ status: 'running', result: null, duration_ms: null });
  expect(store.calls.get(id)).toMatchObject({ status: 'succeeded', result: { degrees: 12 } });
  expect(store.calls.list({ limit: 10 })?.calls).toEqual([]);
  holder.exec('rollback');
  holder.close();
  expect(store.calls.list({ limit: 10 })?.calls).toHaveLength(2);
});

it('takes no more when thousands could not be filed', () => {
  const builder = createQueryBuilder();
  const database = openDatabaseFile(path.join(folder, 'full.db'), builder, 0);
  if (!database.ok) throw new Error(database.reason);
  const connection = createConnection(database.db, folder);
  const full = storageError('storage_full', 'The disk is full.');
  const now = (): never => {
    throw full;
  };
  const journal = createCallJournal(connection, builder, { now });
  for (let calls = 0; calls < KEPT_MOST; calls += 1) journal.begin(splitRunning(runningCall()))();
  journal.file();
  expect(() => journal.begin(splitRunning(runningCall()))).toThrow(full);
  journal.close();
  connection.close();
});
