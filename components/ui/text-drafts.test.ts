import { describe, expect, it } from 'vitest';
import { createTextDrafts } from './text-drafts.ts';

/** Session storage with a limit in characters. */
function tabStorage(max = 1_000): Storage {
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
      if (text.length > max) throw new DOMException('full', 'QuotaExceededError');
      stored.set(key, text);
    },
  };
}

describe('text drafts', () => {
  it('survive a reload, each under its key', () => {
    const storage = tabStorage();
    createTextDrafts(() => storage).write('comment:1', 'half a thought');
    const reloaded = createTextDrafts(() => storage);
    expect(reloaded.read('comment:1')).toBe('half a thought');
    expect(reloaded.read('comment:2')).toBeNull();
    expect(reloaded.list('comment:')).toBe('comment:1');
  });

  it('keep text typed while the previous text is sent', () => {
    const drafts = createTextDrafts(() => tabStorage());
    drafts.write('message:chat', 'first\nand the sec');
    drafts.settle('message:chat', 'first');
    expect(drafts.read('message:chat')).toBe('and the sec');
    drafts.settle('message:chat', 'and the sec');
    expect(drafts.read('message:chat')).toBeNull();
  });

  it('stay complete if the text was rewritten while it was sent', () => {
    const drafts = createTextDrafts(() => tabStorage());
    drafts.write('message:chat', 'another one');
    drafts.settle('message:chat', 'first');
    expect(drafts.read('message:chat')).toBe('another one');
  });

  it('remove the stored text if the new one exceeds the quota, and last as long as the page', () => {
    const storage = tabStorage(10);
    const drafts = createTextDrafts(() => storage);
    drafts.write('source:a.ts', 'short');
    drafts.write('source:a.ts', 'longer than fits');
    expect(drafts.read('source:a.ts')).toBe('longer than fits');
    expect(createTextDrafts(() => storage).read('source:a.ts')).toBeNull();
  });

  it('last as long as the page without storage', () => {
    const drafts = createTextDrafts(() => {
      throw new DOMException('off', 'SecurityError');
    });
    drafts.write('comment:1', 'text');
    expect(drafts.read('comment:1')).toBe('text');
    drafts.write('comment:1', '');
    expect(drafts.list('')).toBe('');
  });
});
