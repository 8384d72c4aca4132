import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CALL_SOURCES } from '#lib/contract/call.ts';
import type { CallFilter } from '#lib/contract/call.ts';
import { openStore } from '../open-store.ts';
import { START, callEnd, runningCall } from '../store-contract-samples.ts';
import type { Store } from '../store.ts';

/** Some thousand calls, searched in every way and compared with a plain filter over all of them. */
const CALLS = 2_400;
/** The older ones are indexed as by an earlier version: without marks. */
const UNMARKED = 1_000;
const TOOLS = ['get_weather', 'send_mail', 'calc'];
const CITIES = ['Oslo', 'Osaka', 'Lima'];
const KINDS = ['timeout', 'not_found'] as const;
const SOURCES = CALL_SOURCES.slice(0, 3);
const ACTORS = ['Ada', 'Bo', null];

const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-found-'));
const file = path.join(folder, 'switchboard.db');
const made = Array.from({ length: CALLS }, (_, n) => {
  // Each of these repeats with another period, so that every combination occurs; sometimes the clock goes back.
  const kind = n % 7 === 0 ? (KINDS[n % 2] ?? null) : null;
  return {
    n,
    id: '',
    tool: TOOLS[n % 3] ?? '',
    source: SOURCES[n % 5 === 0 ? 1 : n % 2] ?? 'api',
    actor: ACTORS[n % 11 === 0 ? 0 : n % 13 === 0 ? 1 : 2] ?? null,
    revision: 1 + (n % 4),
    kind,
    status: kind === null ? ('succeeded' as const) : ('failed' as const),
    city: CITIES[n % 17 === 0 ? 2 : n % 2] ?? '',
    at: START + n * 1_000 - (n % 100 === 0 ? 300_000 : 0),
    durationMs: n % 97 === 0 ? 12_000 : n % 19 === 0 ? 150 : n % 10,
  };
});
let store: Store;

beforeAll(async () => {
  store = await reopened();
  await Promise.all(made.map(insert));
  await Promise.all(made.map(finish));
  await store.calls.list({ q: 'order', limit: 1 });
  await store.close();
  forgetMarks();
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function insert(call: (typeof made)[number]): Promise<void> {
  const row = runningCall({
    tool: call.tool,
    extension: `of_${call.tool}`,
    source: call.source,
    actor: call.actor,
    argumentsText: JSON.stringify({ city: call.city, note: `order item${call.n % 40}` }),
    startedAt: new Date(call.at).toISOString(),
  });
  call.id = row.id;
  return store.calls.insertRunning(row);
}

function finish({ id, revision, status, kind, durationMs }: (typeof made)[number]): Promise<void> {
  const error = kind === null ? null : { kind, message: 'It failed.' };
  return store.calls.finish(id, callEnd({ revision, status, error, resultText: error === null ? '{}' : null, durationMs }));
}

async function reopened(): Promise<Store> {
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.store;
}

function forgetMarks(): void {
  const db = new DatabaseSync(file);
  const insert = db.prepare('insert or replace into call_search (rowid, text) select seq, tool || arguments_json from calls where seq = ?');
  for (let seq = 1; seq <= UNMARKED; seq += 1) insert.run(seq);
  db.prepare(`update counters set value = ? where name = 'search_unmarked'`).run(UNMARKED);
  db.close();
}

function unmarked(): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare(`select value from counters where name = 'search_unmarked'`).get();
  db.close();
  return row?.['value'];
}

function expected({ q = '', ...filter }: Partial<CallFilter>): string[] {
  const fits = made.filter(
    (call) =>
      q
        .toLowerCase()
        .split(' ')
        .every((word) =>
          [...call.tool.split('_'), 'city', call.city.toLowerCase(), 'note', 'order', `item${call.n % 40}`].some((each) =>
            each.startsWith(word),
          ),
        ) &&
      (filter.tool === undefined || call.tool === filter.tool) &&
      (filter.extension === undefined || `of_${call.tool}` === filter.extension) &&
      (filter.status === undefined || filter.status.some((status) => status === call.status)) &&
      (filter.source === undefined || call.source === filter.source) &&
      (filter.actor === undefined || call.actor === filter.actor) &&
      (filter.error_kind === undefined || call.kind === filter.error_kind) &&
      (filter.revision === undefined || call.revision === filter.revision) &&
      (filter.min_ms === undefined || call.durationMs >= filter.min_ms) &&
      (filter.max_ms === undefined || call.durationMs <= filter.max_ms) &&
      (filter.since === undefined || call.at >= Date.parse(filter.since)) &&
      (filter.until === undefined || call.at < Date.parse(filter.until)),
  );
  return fits.map((call) => call.id).toReversed();
}

/** All pages, in order. */
async function found(filter: Partial<CallFilter>, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.calls.list({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) });
    if (page === null) throw new Error('a cursor of its own was refused');
    seen.push(...page.calls.map((call) => call.id));
    if (page.next_cursor === null) return seen;
    cursor = page.next_cursor;
  }
}

const moment = fc.integer({ min: -400, max: CALLS }).map((second) => new Date(START + second * 1_000).toISOString());
const optional = fc.record(
  {
    tool: fc.constantFrom(...TOOLS, 'none'),
    extension: fc.constantFrom(...TOOLS.map((tool) => `of_${tool}`)),
    status: fc.uniqueArray(fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const), { minLength: 1 }),
    source: fc.constantFrom(...SOURCES),
    actor: fc.constantFrom('Ada', 'Bo', 'ada'),
    error_kind: fc.constantFrom(...KINDS),
    revision: fc.integer({ min: 1, max: 5 }),
    min_ms: fc.constantFrom(0, 5, 10, 149, 150, 151, 1_000, 11_999, 12_001),
    max_ms: fc.constantFrom(5, 150, 11_999),
    since: moment,
    until: moment,
  },
  { requiredKeys: [] },
);
const asked = fc.tuple(
  optional,
  fc.constantFrom('order', 'ord', 'o', 'os order', 'oslo', 'lima', 'mail', 'item', 'item1', 'item1 order', 'paris'),
  fc.integer({ min: 60, max: 200 }),
);

async function compareAll(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(asked, async ([filter, q, limit]) => {
      expect(await found({ ...filter, q }, limit)).toEqual(expected({ ...filter, q }));
    }),
    { numRuns: 60 },
  );
}

it('finds the same calls as a scan of every call, page by page, while older calls have no marks', async () => {
  // All in one turn, in which no call gets its marks.
  store = await reopened();
  expect(unmarked()).toBe(UNMARKED);
  await compareAll();
});

it('marks older calls when idle, and then finds the same calls', async () => {
  await vi.waitFor(() => expect(unmarked()).toBe(0), { timeout: 20_000 });
  await compareAll();
});

it('counts the found calls', async () => {
  const wanted = { q: 'order', source: SOURCES[1], min_ms: 150 } as const;
  const { total, complete } = await store.calls.stats({ ...wanted, since: new Date(START - 400_000).toISOString(), buckets: 10 });
  expect({ calls: total.calls, complete }).toEqual({ calls: expected(wanted).length, complete: true });
});

it('does not confuse a word of a call with a mark', async () => {
  const sign = '\u{e5b0}';
  const row = runningCall({ argumentsText: JSON.stringify({ note: `${sign.repeat(3)}abc zebra` }) });
  await store.calls.insertRunning(row);
  for (const q of ['zebra', 'abc', `${sign}abc`, `${sign.repeat(3)}abc`])
    expect((await store.calls.list({ q, limit: 1 }))?.calls.map((call) => call.id)).toEqual([row.id]);
});
