import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CALL_SOURCES, type CallFilter } from '#lib/contract/call.ts';
import { START, callEnd, runningCall } from './store-contract-samples.ts';
import type { Store } from './store.ts';

/** Some thousand calls, listed and searched in every way and compared with a plain filter over all of them. */
const CALLS = 2_400;
/** Older calls are indexed as by an earlier version: without marks. */
const UNMARKED = 1_000;
/** Calls written sequentially. */
const PARTS = 4;
const TOOLS = ['get_weather', 'send_mail', 'calc'];
const CITIES = ['Oslo', 'Osaka', 'Lima'];
const KINDS = ['timeout', 'not_found'] as const;
const SOURCES = CALL_SOURCES.slice(0, 3);
const ACTORS = ['Ada', 'Bo', null];
const INSTANCES = ['one', 'two'];

export interface FoundCallsDatabase {
  open(): Promise<Store>;
  /** Before each part of the calls. */
  beforePart(part: number): Promise<void>;
  /** Indexes the calls of these ids again as an earlier version did, while no store is open. */
  forgetMarks(ids: readonly string[]): Promise<void>;
  /** The last call without marks, or the number of such calls. */
  unmarked(): Promise<number>;
  remove(): Promise<void>;
}

export function describeFoundCalls(name: string, create: () => Promise<FoundCallsDatabase>): void {
  const made = Array.from({ length: CALLS }, (_, n) => {
    // Each value has another period, so that every combination occurs; sometimes the clock goes back.
    const kind = n % 7 === 0 ? (KINDS[n % 2] ?? null) : null;
    return {
      n,
      id: '',
      tool: TOOLS[n % 3] ?? '',
      source: SOURCES[n % 5 === 0 ? 1 : n % 2] ?? 'api',
      actor: ACTORS[n % 11 === 0 ? 0 : n % 13 === 0 ? 1 : 2] ?? null,
      instance: INSTANCES[n % 23 === 0 ? 1 : 0] ?? '',
      revision: 1 + (n % 4),
      kind,
      status: kind === null ? ('succeeded' as const) : ('failed' as const),
      city: CITIES[n % 17 === 0 ? 2 : n % 2] ?? '',
      at: START + n * 1_000 - (n % 100 === 0 ? 300_000 : 0),
      durationMs: n % 97 === 0 ? 12_000 : n % 19 === 0 ? 150 : n % 10,
    };
  });
  let database: FoundCallsDatabase;
  let store: Store;

  function insert(call: (typeof made)[number]): Promise<void> {
    const row = runningCall({
      tool: call.tool,
      extension: `of_${call.tool}`,
      source: call.source,
      actor: call.actor,
      instance: call.instance,
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

  function expected({ q = '', ...filter }: Partial<CallFilter>): string[] {
    const words = q.toLowerCase().split(' ');
    const found = made.filter(
      (call) =>
        words.every((word) =>
          [...call.tool.split('_'), 'city', call.city.toLowerCase(), 'note', 'order', `item${call.n % 40}`].some((each) =>
            each.startsWith(word),
          ),
        ) &&
        (filter.tool === undefined || call.tool === filter.tool) &&
        (filter.extension === undefined || `of_${call.tool}` === filter.extension) &&
        (filter.status === undefined || filter.status.some((status) => status === call.status)) &&
        (filter.source === undefined || call.source === filter.source) &&
        (filter.actor === undefined || call.actor === filter.actor) &&
        (filter.instance === undefined || call.instance === filter.instance) &&
        (filter.error_kind === undefined || call.kind === filter.error_kind) &&
        (filter.revision === undefined || call.revision === filter.revision) &&
        (filter.min_ms === undefined || call.durationMs >= filter.min_ms) &&
        (filter.max_ms === undefined || call.durationMs <= filter.max_ms) &&
        (filter.since === undefined || call.at >= Date.parse(filter.since)) &&
        (filter.until === undefined || call.at < Date.parse(filter.until)),
    );
    // A search is ordered by arrival, a list by start.
    const inOrder = q === '' ? found.toSorted((one, other) => one.at - other.at || one.n - other.n) : found;
    return inOrder.map((call) => call.id).toReversed();
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
      instance: fc.constantFrom(...INSTANCES, 'none'),
      error_kind: fc.constantFrom(...KINDS),
      revision: fc.integer({ min: 1, max: 5 }),
      min_ms: fc.constantFrom(0, 5, 10, 149, 150, 151, 1_000, 11_999, 12_001),
      max_ms: fc.constantFrom(5, 150, 11_999),
      since: moment,
      until: moment,
    },
    { requiredKeys: [] },
  );
  const searches = ['order', 'ord', 'o', 'os order', 'oslo', 'lima', 'mail', 'item', 'item1', 'item1 order', 'paris'];
  const asked = fc.tuple(optional, fc.constantFrom(...searches, '', '', ''), fc.integer({ min: 60, max: 200 }));

  async function compareAll(): Promise<void> {
    await fc.assert(
      fc.asyncProperty(asked, async ([filter, q, limit]) => {
        expect(await found({ ...filter, q }, limit)).toEqual(expected({ ...filter, q }));
      }),
      { numRuns: 80 },
    );
  }

  describe(`found calls on ${name}`, () => {
    beforeAll(async () => {
      database = await create();
      store = await database.open();
      for (let part = 0; part < PARTS; part += 1) {
        await database.beforePart(part);
        const calls = made.slice((part * CALLS) / PARTS, ((part + 1) * CALLS) / PARTS);
        await Promise.all(calls.map(insert));
        await Promise.all(calls.map(finish));
      }
      await store.calls.list({ q: 'order', limit: 1 });
      await store.close();
      await database.forgetMarks(made.slice(0, UNMARKED).map(({ id }) => id));
    });

    afterAll(async () => {
      await store.close();
      await database.remove();
    });

    it('are the same calls as a scan of every call finds, page by page, while older calls have no marks', async () => {
      expect(await database.unmarked()).toBe(UNMARKED);
      store = await database.open();
      await compareAll();
    });

    it('are the same after older calls were marked', async () => {
      await vi.waitFor(async () => expect(await database.unmarked()).toBe(0), { timeout: 20_000 });
      await compareAll();
    });

    it('are counted', async () => {
      const wanted = { q: 'order', source: SOURCES[1], min_ms: 150 } as const;
      const { total, complete } = await store.calls.stats({ ...wanted, since: new Date(START - 400_000).toISOString(), buckets: 10 });
      expect({ calls: total.calls, complete }).toEqual({ calls: expected(wanted).length, complete: true });
    });

    it('are not found by a word that looks like a mark', async () => {
      const sign = '\u{e5b0}';
      const row = runningCall({ argumentsText: JSON.stringify({ note: `${sign.repeat(3)}abc zebra =2 0-q 0=q` }) });
      await store.calls.insertRunning(row);
      for (const q of ['zebra', 'abc', `${sign}abc`, `${sign.repeat(3)}abc`, '=2 0-q', '0=q'])
        expect((await store.calls.list({ q, limit: 1 }))?.calls.map((call) => call.id)).toEqual([row.id]);
    });
  });
}
