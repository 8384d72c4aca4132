import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { callStatsQuerySchema } from '#lib/contract/call.ts';
import { backUp } from './backup-file.ts';
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
  for (const ending of ['-wal', '-calls-a', '-calls-b']) copyFileSync(file + ending, place + ending);
  return opened(place);
}

function span() {
  return { since: new Date(START - 1_000).toISOString(), until: new Date(START + 1_000).toISOString() };
}

it('files calls that have ended after a moment, in one go', async () => {
  await finishedCall(store);
  await finishedCall(store);
  expect(onDisk('calls')).toBe(0);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  expect(onDisk('calls')).toBe(2);
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
  expect(onDisk('calls')).toBe(1);
  vi.advanceTimersByTime(FILED_AFTER_MS);
  expect(onDisk("calls where status = 'running'")).toBe(1);
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
  expect((await store.calls.stats(callStatsQuerySchema.parse(span()))).total.calls).toBe(4);
  expect(onDisk('calls')).toBe(4);
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
  const records = ['-calls-a', '-calls-b'].map((ending) => readFileSync(file + ending, 'utf8')).join('');
  expect(records).toContain('Berlin');
  expect(records).not.toContain('xxxx');
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

it('takes no more when thousands could not be filed', async () => {
  const builder = createQueryBuilder();
  const database = openDatabaseFile(path.join(folder, 'full.db'), builder, 0);
  if (!database.ok) throw new Error(database.reason);
  const connection = createConnection(database.db, folder);
  const full = storageError('storage_full', 'The disk is full.');
  let number = 0;
  const journal = createCallJournal({
    connection,
    db: builder,
    queue: {
      now: () => {
        throw full;
      },
      whenOnDisk: () => null,
    },
    log: {
      found: [],
      append: (_, done) => done(null, number++),
      unanswered: () => number,
      isToBeReleased: () => false,
      release: () => undefined,
      close: async () => undefined,
    },
    sync: async () => undefined,
    explain: (error) => error,
  });
  for (let calls = 0; calls < KEPT_MOST; calls += 1) {
    journal.admit('another');
    void journal.begin(splitRunning(runningCall()).row);
  }
  journal.file();
  expect(() => journal.admit('another')).toThrow(full);
  await journal.close();
  connection.close();
});

it('files an end that was on its way while its call was filed as one that runs', async () => {
  const row = runningCall();
  await store.calls.insertRunning(row);
  const end = store.calls.finish(row.id, callEnd());
  expect(store.calls.list({ limit: 10, status: ['running'] })?.calls).toHaveLength(1);
  await end;
  const after = diedNow();
  expect(after.calls.get(row.id)).toMatchObject({ status: 'succeeded', result: { degrees: 12 } });
  await after.close();
  expect(store.calls.get(row.id)?.status).toBe('succeeded');
  await expect(store.calls.finish(row.id, callEnd({ status: 'failed', resultText: null }))).rejects.toThrow(/is not running/);
});

it('files nothing twice, and takes no records of another database', async () => {
  const id = await finishedCall(store);
  store.calls.list({ limit: 1 });
  const records = readFileSync(`${file}-calls-a`);
  const after = diedNow();
  expect(after.calls.list({ limit: 10 })?.calls.map((call) => call.id)).toEqual([id]);
  await after.close();
  const other = path.join(folder, 'other.db');
  writeFileSync(`${other}-calls-a`, records);
  const empty = opened(other);
  expect(empty.calls.list({ limit: 10 })?.calls).toEqual([]);
  await empty.close();
});

it('is in a backup, filed or not', async () => {
  const filed = await finishedCall(store);
  store.calls.list({ limit: 1 });
  const ended = await finishedCall(store);
  const begun = runningCall();
  await store.calls.insertRunning(begun);
  const target = path.join(folder, 'copies', 'one.db');
  expect(await backUp(folder, target)).toMatchObject({ ok: true, calls: 3 });
  expect(onDisk('calls')).toBe(1);
  const restored = opened(target);
  expect([filed, ended, begun.id].map((id) => restored.calls.get(id)?.status)).toEqual(['succeeded', 'succeeded', 'running']);
  await restored.close();
});

it('goes on where it was, round after round', async () => {
  const most = 6;
  const text = JSON.stringify('y'.repeat(1_900));
  for (let round = 0; round < most; round += 1)
    await Promise.all(Array.from({ length: 600 }, () => finishedCall(store, { argumentsText: text }, { resultText: text })));
  const open = runningCall();
  await store.calls.insertRunning(open);
  for (const ending of ['-calls-a', '-calls-b']) expect(statSync(file + ending).size).toBeLessThanOrEqual(8_388_608);
  const after = diedNow();
  expect(after.calls.get(open.id)?.status).toBe('running');
  expect(Number((await after.calls.stats(callStatsQuerySchema.parse(span()))).total.calls)).toBe(most * 600 + 1);
  await after.close();
});
