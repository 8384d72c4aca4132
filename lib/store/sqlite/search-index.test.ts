import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CALL_CHARACTERS, createCallsToIndex } from '../calls-to-index.ts';
import type { CallBatch } from '../calls-to-index.ts';
import { callEnd, finishedCall, makeOldDatabase, runningCall } from '../store-contract-samples.ts';
import { openStore } from '../open-store.ts';
import { BACKLOG_MOST } from './search-index.ts';
import { createConnection } from './sqlite-connection.ts';
import type { Store } from '../store.ts';

/** More calls than the index processes in one background step. */
const BURST = 120;
const LOOK_MS = 250;
/** A burst is indexed in four parts, with pauses between. */
const BETWEEN_MS = 20;
const STEP_MS = 5;

let folder: string;
let file: string;
let store: Store;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-index-'));
  file = path.join(folder, 'switchboard.db');
  store = await opened();
});

afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

async function opened(): Promise<Store> {
  const result = await openStore({ file });
  if (!result.ok) throw new Error(result.reason);
  return result.store;
}

async function writeBurst(city: string): Promise<string[]> {
  const rows = Array.from({ length: BURST }, () => runningCall({ argumentsText: JSON.stringify({ city }) }));
  await Promise.all(rows.map((row) => store.calls.insertRunning(row)));
  await Promise.all(rows.map((row) => store.calls.finish(row.id, callEnd({ resultText: '{"sky":"clear"}' }))));
  return rows.map((row) => row.id);
}

/** Includes the turns of the event loop for each part. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += STEP_MS) {
    vi.advanceTimersByTime(Math.min(STEP_MS, ms - at));
    for (let turns = 0; turns < 4; turns += 1) await setImmediate();
  }
}

const found = async (q: string): Promise<number> => (await store.calls.list({ q, limit: 200 }))?.calls.length ?? 0;

function indexed(): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const count = Number(db.prepare('select count(*) as count from call_search_docsize').get()?.['count']);
  db.close();
  return count;
}

function counter(name: string): unknown {
  return valueOf('select value from counters where name = ?', name);
}

function valueOf(query: string, name: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare(query).get(name);
  db.close();
  return row?.['value'];
}

it('indexes a burst of calls in the pause after it', async () => {
  await writeBurst('Oslo');
  await pass(LOOK_MS);
  expect(indexed()).toBe(0);
  await pass(LOOK_MS + BETWEEN_MS);
  expect(indexed()).toBe(BURST);
});

it('finds the calls of a burst that is not indexed yet', async () => {
  await writeBurst('Oslo');
  expect(indexed()).toBe(0);
  expect(await found('oslo clear')).toBe(BURST);
});

it('indexes a few calls without waiting for a pause', async () => {
  const row = runningCall({ argumentsText: '{"city":"Lima"}' });
  await store.calls.insertRunning(row);
  await pass(LOOK_MS);
  expect(indexed()).toBe(1);
  await store.calls.finish(row.id, callEnd({ resultText: '{"sky":"grey"}' }));
  await pass(LOOK_MS);
  expect(await found('lima grey')).toBe(1);
});

it('answers from the indexed calls while another process holds a lock, sooner than a write is refused', async () => {
  await writeBurst('Oslo');
  expect(await found('oslo clear')).toBe(BURST);
  await writeBurst('Oslo');
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  const row = runningCall();
  let isWritten: boolean | null = null;
  void store.calls.insertRunning(row).then(
    () => (isWritten = true),
    () => (isWritten = false),
  );
  let count: number | null = null;
  void found('oslo clear').then((sum) => (count = sum));
  while (count === null) await pass(LOOK_MS);
  expect([count, isWritten]).toEqual([BURST, null]);
  other.exec('commit');
  other.close();
  await pass(LOOK_MS);
  expect(isWritten).toBe(true);
  expect(await found('oslo clear')).toBe(200);
});

it('indexes calls also without a pause', async () => {
  for (let written = 0; written <= BACKLOG_MOST; written += BURST) {
    await writeBurst('Oslo');
    await pass(LOOK_MS);
  }
  expect(indexed()).toBeGreaterThan(0);
});

it('indexes the remaining calls after a restart', async () => {
  await writeBurst('Oslo');
  await store.close();
  expect(indexed()).toBe(0);
  store = await opened();
  await pass(LOOK_MS + BETWEEN_MS);
  expect(indexed()).toBe(BURST);
  expect(await found('oslo clear')).toBe(BURST);
});

it('indexes calls of an older version again, in parts, and then finds text within a run of Chinese', async () => {
  await writeBurst('今天天气很好,' + '没有云'.repeat(20));
  await writeBurst('Oslo');
  expect(await found('天气')).toBe(BURST);
  await store.close();
  const db = new DatabaseSync(file);
  const runs = db.prepare('select seq, arguments_json from calls').all();
  const insert = db.prepare('insert or replace into call_search (rowid, text) values (?, ?)');
  for (const { seq, arguments_json: text } of runs) insert.run(Number(seq), String(text));
  db.prepare("update counters set value = ? where name = 'search_old'").run(2 * BURST);
  db.close();
  store = await opened();
  expect([await found('天气'), await found('今天'), await found('oslo')]).toEqual([0, BURST, BURST]);
  const seen = new Set<number>();
  for (let looks = 0; looks < 100 && (await found('天气')) < BURST; looks += 1) {
    await pass(10);
    seen.add(await found('天气'));
    expect([await found('今天'), await found('oslo')]).toEqual([BURST, BURST]);
  }
  expect(await found('天气')).toBe(BURST);
  expect(seen.size).toBeGreaterThan(2);
  await pass(LOOK_MS);
  // Calls without such letters keep their old terms, and these results had none.
  expect(await found('sky')).toBe(BURST);
  await store.close();
  expect(counter('search_old')).toBe(0);
  store = await opened();
});

/** Calls as one transaction each would index them. */
function batches(): CallBatch[] {
  const reader = createConnection(new DatabaseSync(file, { readOnly: true }), folder);
  const waiting = createCallsToIndex(reader);
  const made: CallBatch[] = [];
  for (let highest = 0, isFull = true; isFull;) {
    const batch = waiting.next([], highest);
    made.push(batch);
    highest = batch.calls.at(-1)?.seq ?? highest;
    ({ isFull } = batch);
  }
  reader.close();
  return made;
}

const charactersOf = ({ calls }: CallBatch): number => calls.reduce((sum, { text }) => sum + text.length, 0);
/** Terms for the filter values of a part. */
const MARKS = 6_000;

it('indexes a large call in a transaction of its own, and small ones up to a number of characters', async () => {
  const large = JSON.stringify('word '.repeat(8_000));
  const medium = JSON.stringify('word '.repeat(1_000));
  for (const text of [medium, large, medium, medium, medium, large, large, medium]) await finishedCall(store, {}, { resultText: text });
  const made = batches();
  expect(made.flatMap(({ calls }) => calls.map(({ seq }) => seq))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(made.filter(({ calls }) => calls.length > 0).map(({ calls }) => calls.length)).toEqual([1, 1, 3, 1, 1, 1]);
  for (const batch of made) if (batch.calls.length > 1) expect(charactersOf(batch)).toBeLessThan(16_384 + MARKS);
});

it.each([
  ['Latin letters', 'word '],
  ['Chinese letters', '天气很好，'],
  ['emoji', '🚀🚀 '],
])('indexes a limited number of characters of a call with large values in %s, some of each value', async (_, text) => {
  const value = (first: string): string => JSON.stringify(`${first} ${text.repeat(220_000 / text.length)}`);
  await finishedCall(store, { argumentsText: value('lisbon') }, { resultText: value('quito') });
  const [batch] = batches();
  expect(batch?.calls.length).toBe(1);
  expect(charactersOf(batch ?? { calls: [], isFull: false, isLarge: false })).toBeLessThan(CALL_CHARACTERS + MARKS);
  expect(await found('lisbon quito')).toBe(1);
});

it('indexes the beginning of a value up to the limit of a call when the others are small', async () => {
  const filler = 'word '.repeat(CALL_CHARACTERS / 5 - 40);
  await finishedCall(store, {}, { resultText: JSON.stringify(`${filler}inside ${'word '.repeat(100)}outside`) });
  expect([await found('inside'), await found('outside')]).toEqual([1, 0]);
});

it('indexes all calls of a database of an older version again', async () => {
  await store.close();
  rmSync(file);
  makeOldDatabase(file, '0022_search_letters', ["update counters set value = 7 where name = 'search_watermark'"]);
  store = await opened();
  await store.close();
  expect(counter('search_old')).toBe(7);
  store = await opened();
});

it('merges the segments of the index gradually', async () => {
  for (const city of ['Oslo', 'Lima', 'Riga', 'Quito', 'Lagos', 'Perth', 'Osaka', 'Lisbon']) {
    await writeBurst(city);
    await found('oslo');
  }
  const parts = (): number => Number(valueOf('select count(distinct segid) as value from call_search_idx where segid <> ?', 'none'));
  await pass(10_000);
  expect(parts()).toBeLessThan(5);
});
