import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedRun } from '#lib/contract/saved-call.ts';
import type { Store } from './store.ts';
import { savedCallRecord } from '#lib/testing/api-records.ts';

const SAVED = savedCallRecord({
  id: '01a20000-0000-7000-8000-000000000001',
  arguments: { city: 'Oslo', deep: { list: [1, null, 'é'] } },
  left_out: ['/api_key'],
  timeout_ms: 5_000,
  expectation: { status: 'succeeded', result_includes: { city: 'Oslo' } },
  created_by: 'Ada',
});
const RUN: SavedRun = {
  call_id: 'c1',
  ran_at: '2026-11-22T10:00:01.000Z',
  revision: 3,
  status: 'succeeded',
  passed: false,
  failed_because: 'result/city is "Bergen", not "Oslo".',
};

/** The store contract for saved calls. */
export function describeSavedCallContract(store: () => Store, restart: () => Promise<void>): void {
  describe('saved calls', () => {
    it('survive a restart unchanged', async () => {
      expect(await store().savedCalls.insert(SAVED)).toBe('stored');
      const plain = { ...SAVED, id: 'plain', name: 'Plain', left_out: [], timeout_ms: null, expectation: null, created_by: null };
      expect(await store().savedCalls.insert(plain)).toBe('stored');
      await restart();
      expect(await store().savedCalls.get(SAVED.id)).toEqual(SAVED);
      expect(await store().savedCalls.get('plain')).toEqual(plain);
      expect(await store().savedCalls.get('other')).toBeNull();
    });

    it('are listed by tool and name', async () => {
      await store().savedCalls.insert({ ...SAVED, id: 'b', name: 'b' });
      await store().savedCalls.insert({ ...SAVED, id: 'a', name: 'a' });
      await store().savedCalls.insert({ ...SAVED, id: 'x', name: 'a', tool: 'other' });
      expect((await store().savedCalls.list('get_weather')).map((saved) => saved.id)).toEqual(['a', 'b']);
      expect(await store().savedCalls.list('none')).toEqual([]);
    });

    it('have a unique name within a tool, also when they are renamed', async () => {
      await store().savedCalls.insert(SAVED);
      expect(await store().savedCalls.insert({ ...SAVED, id: 'second' })).toBe('name_taken');
      await store().savedCalls.insert({ ...SAVED, id: 'second', name: 'Bergen' });
      expect(await store().savedCalls.replace({ ...SAVED, id: 'second' }, SAVED.updated_at)).toBe('name_taken');
      expect(await store().savedCalls.replace({ ...SAVED, arguments: {} }, SAVED.updated_at)).toBe('stored');
      expect((await store().savedCalls.get(SAVED.id))?.arguments).toEqual({});
      expect(await store().savedCalls.replace({ ...SAVED, id: 'third', name: 'Third' }, SAVED.updated_at)).toBe('gone');
    });

    it('are not replaced after a concurrent change', async () => {
      await store().savedCalls.insert(SAVED);
      const later = '2026-11-22T11:00:00.000Z';
      expect(await store().savedCalls.replace({ ...SAVED, required: true, updated_at: later }, SAVED.updated_at)).toBe('stored');
      expect(await store().savedCalls.replace({ ...SAVED, arguments: {} }, SAVED.updated_at)).toBe('changed');
      expect(await store().savedCalls.get(SAVED.id)).toMatchObject({ required: true, arguments: SAVED.arguments });
    });

    it('are refused above the limit per tool', async () => {
      const { savedCalls } = store();
      const names = Array.from({ length: LIMITS.savedCallsPerTool }, (_, at) => `n${at}`);
      await Promise.all(names.map((name) => savedCalls.insert({ ...SAVED, id: name, name })));
      expect(await savedCalls.insert({ ...SAVED, id: 'more', name: 'more' })).toBe('full');
      expect(await savedCalls.insert({ ...SAVED, id: 'more', name: 'more', tool: 'other' })).toBe('stored');
    });

    it('can be listed as required checks of all tools, by tool and name', async () => {
      await store().savedCalls.insert({ ...SAVED, required: true });
      await store().savedCalls.insert({ ...SAVED, id: 'other', tool: 'add_numbers', required: true });
      await store().savedCalls.insert({ ...SAVED, id: 'plain', name: 'Plain' });
      await store().savedCalls.insert({ ...SAVED, id: 'first', name: 'Bergen' });
      await store().savedCalls.replace({ ...SAVED, id: 'first', name: 'Bergen', required: true }, SAVED.updated_at);
      await restart();
      expect((await store().savedCalls.required()).map(({ id }) => id)).toEqual(['other', 'first', SAVED.id]);
      await store().savedCalls.replace({ ...SAVED, required: false }, SAVED.updated_at);
      expect(await store().savedCalls.get(SAVED.id)).toEqual(SAVED);
      expect(await store().savedCalls.required()).toHaveLength(2);
    });

    it('store their last run, unless they were changed meanwhile', async () => {
      await store().savedCalls.insert(SAVED);
      await store().savedCalls.noteRun(SAVED.id, SAVED.updated_at, RUN);
      expect((await store().savedCalls.get(SAVED.id))?.last_run).toEqual(RUN);
      await store().savedCalls.replace({ ...SAVED, updated_at: '2026-11-22T11:00:00.000Z' }, SAVED.updated_at);
      await store().savedCalls.noteRun(SAVED.id, SAVED.updated_at, RUN);
      expect((await store().savedCalls.get(SAVED.id))?.last_run).toBeNull();
    });

    it('free their name when they are removed', async () => {
      await store().savedCalls.insert(SAVED);
      await store().savedCalls.remove(SAVED.id);
      expect(await store().savedCalls.get(SAVED.id)).toBeNull();
      expect(await store().savedCalls.insert({ ...SAVED, id: 'again' })).toBe('stored');
    });
  });
}
