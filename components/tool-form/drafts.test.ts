import { beforeEach, describe, expect, it } from 'vitest';
import { type LargeDrafts, createDrafts, draftsToDrop } from './drafts.ts';

const LARGE = JSON.stringify({ text: 'x'.repeat(600_000) });
const LARGER = JSON.stringify({ text: 'y'.repeat(700_000) });

/** Session storage with a limit in characters. */
function tabStorage(max: number): Storage {
  const stored = new Map<string, string>();
  return {
    get length() {
      return stored.size;
    },
    clear: () => stored.clear(),
    key: (at) => [...stored.keys()][at] ?? null,
    getItem: (key) => stored.get(key) ?? null,
    removeItem: (key) => void stored.delete(key),
    setItem(key, text) {
      const others = [...stored].reduce((sum, [name, value]) => (name === key ? sum : sum + value.length), 0);
      if (others + text.length > max) throw new DOMException('full', 'QuotaExceededError');
      stored.set(key, text);
    },
  };
}

/** A fake store for large texts that tests open and close. */
function fakeLargeDrafts() {
  const stored = new Map<string, string>();
  const writes: string[] = [];
  let isOpen = true;
  const store: LargeDrafts = {
    read: async (id) => stored.get(id) ?? null,
    async write(id, text) {
      writes.push(text);
      await Promise.resolve();
      if (isOpen) stored.set(id, text);
      else stored.delete(id);
      return isOpen;
    },
    remove: (id) => void stored.delete(id),
  };
  return { store, stored, writes, close: () => (isOpen = false) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
let storage: Storage;
let large: ReturnType<typeof fakeLargeDrafts>;

beforeEach(() => {
  storage = tabStorage(1_000_000);
  large = fakeLargeDrafts();
});

/** Drafts as after a reload, with empty memory. */
const open = () => createDrafts(() => storage, large.store);

describe('drafts', () => {
  it('that are large belong to one tab: a duplicated tab reads them, but neither overwrites nor removes them', async () => {
    const first = open();
    first.write('t', 'payload', LARGE);
    await settled();
    const copied = tabStorage(1_000_000);
    for (let at = 0; at < storage.length; at++) copied.setItem(storage.key(at) ?? '', storage.getItem(storage.key(at) ?? '') ?? '');
    const duplicate = createDrafts(() => copied, large.store);
    await duplicate.fetch('t');
    expect(duplicate.read('t', 'payload')).toBe(LARGE);
    duplicate.write('t', 'payload', LARGER);
    await settled();
    duplicate.write('t', 'payload', null);
    await settled();
    const reloaded = open();
    await reloaded.fetch('t');
    expect(reloaded.read('t', 'payload')).toBe(LARGE);
  });

  it('last as long as the page without storage, and report it', () => {
    const drafts = createDrafts(() => {
      throw new Error('denied');
    }, large.store);
    drafts.write('tool', 'payload', '{"a": 1}');
    expect(drafts.read('tool', 'payload')).toBe('{"a": 1}');
    expect(drafts.read('other', 'payload')).toBeNull();
    expect(drafts.isStored('tool')).toBe(false);
    expect(large.writes).toEqual([]);
  });

  it('are read synchronously after a reload if they are small', () => {
    open().write('tool', 'payload', '{"a": 1}');
    expect(open().read('tool', 'payload')).toBe('{"a": 1}');
    expect(open().needsFetch('tool')).toBe(false);
    expect(large.writes).toEqual([]);
  });

  it('are loaded after a reload if they are large', async () => {
    const before = open();
    before.write('tool', 'payload', '{"a": 1}');
    before.write('tool', 'payload', LARGE);
    await settled();
    expect(before.isStored('tool')).toBe(true);
    const after = open();
    expect(after.needsFetch('tool')).toBe(true);
    expect(after.read('tool', 'payload')).toBeNull();
    await after.fetch('tool');
    expect(after.read('tool', 'payload')).toBe(LARGE);
    expect(after.needsFetch('tool')).toBe(false);
    expect(after.needsFetch('other')).toBe(false);
  });

  it('are stored in IndexedDB if session storage is full', async () => {
    storage = tabStorage(100);
    const text = JSON.stringify({ text: 'x'.repeat(200) });
    open().write('tool', 'payload', text);
    await settled();
    const after = open();
    await after.fetch('tool');
    expect(after.read('tool', 'payload')).toBe(text);
  });

  it('are removed from IndexedDB once they are small again', async () => {
    const before = open();
    before.write('tool', 'payload', LARGE);
    await settled();
    before.write('tool', 'payload', '{}');
    await settled();
    expect(large.stored.size).toBe(0);
    expect(open().read('tool', 'payload')).toBe('{}');
    expect(open().needsFetch('tool')).toBe(false);
  });

  it('are written one at a time, and the last one wins', async () => {
    const before = open();
    for (const text of [LARGE, `${LARGE} `, LARGER]) before.write('tool', 'payload', text);
    await settled();
    expect(large.writes).toEqual([LARGE, LARGER]);
    const after = open();
    await after.fetch('tool');
    expect(after.read('tool', 'payload')).toBe(LARGER);
  });

  it('are written immediately when the page closes', () => {
    const before = open();
    for (const text of [LARGE, LARGER]) before.write('tool', 'payload', text);
    before.flush();
    expect(large.writes).toEqual([LARGE, LARGER]);
  });

  it('report full storage, leave no older text, and report when storage is free again', async () => {
    const before = open();
    let notified = 0;
    before.subscribe(() => (notified += 1));
    before.write('tool', 'payload', LARGE);
    await settled();
    large.close();
    before.write('tool', 'payload', LARGER);
    await settled();
    expect([before.isStored('tool'), before.isStored('other'), notified]).toEqual([false, true, 1]);
    const after = open();
    await after.fetch('tool');
    expect(after.read('tool', 'payload')).toBeNull();
    expect(after.needsFetch('tool')).toBe(false);
    before.write('tool', 'payload', '{}');
    expect([before.isStored('tool'), notified]).toEqual([true, 2]);
  });
});

describe('storage for large drafts', () => {
  const draft = (id: string, size: number, at: number) => ({ id, size, at });

  it('is freed by removing the oldest', () => {
    const drafts = [draft('a', 30_000_000, 1), draft('b', 30_000_000, 3), draft('c', 20_000_000, 2)];
    expect(draftsToDrop(drafts, draft('d', 10_000_000, 4))).toEqual(['a']);
    expect(draftsToDrop(drafts, draft('d', 64_000_000, 4))).toEqual(['b', 'c', 'a']);
    expect(draftsToDrop(drafts, draft('b', 14_000_000, 4))).toEqual([]);
  });

  it('is freed after a week without writes', () => {
    const day = 24 * 60 * 60_000;
    expect(draftsToDrop([draft('a', 1, 0), draft('b', 1, 2 * day)], draft('c', 1, 8 * day))).toEqual(['a']);
  });
});
