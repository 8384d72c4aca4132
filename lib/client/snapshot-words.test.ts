import { describe, expect, it } from 'vitest';
import type { SnapshotCause, SnapshotChanges } from '#lib/contract/snapshot.ts';
import { causeInWords, changesInWords, groupsOf } from './snapshot-words.ts';

const NOTHING: SnapshotChanges = { added: [], changed: [], removed: [], failed: [], recovered: [], tools_added: [], tools_removed: [] };

function wordsOf(cause: SnapshotCause, changes = NOTHING): string {
  return causeInWords({ cause, changes });
}

describe('causeInWords', () => {
  it('names the saved file and the number of others', () => {
    expect(wordsOf({ kind: 'watch', actor: null, files: ['a/extension.ts'] })).toBe('saved a/extension.ts');
    expect(wordsOf({ kind: 'watch', actor: null, files: ['a.ts', 'b.ts', 'c.ts'] })).toBe('saved a.ts and 2 more');
    expect(wordsOf({ kind: 'watch', actor: null, files: [] })).toBe('a saved file');
  });

  it('says that files were deleted if extensions were only removed', () => {
    const cause: SnapshotCause = { kind: 'watch', actor: null, files: ['a/extension.ts'] };
    expect(wordsOf(cause, { ...NOTHING, removed: ['a'], tools_removed: ['one'] })).toBe('deleted a/extension.ts');
    expect(wordsOf(cause, { ...NOTHING, removed: ['a'], added: ['b'] })).toBe('saved a/extension.ts');
  });

  it('names the actor, if known', () => {
    expect(wordsOf({ kind: 'reload', actor: 'Mia', files: [] })).toBe('reload by Mia');
    expect(wordsOf({ kind: 'reload', actor: null, files: [] })).toBe('reload');
    expect(wordsOf({ kind: 'reload', actor: 'Mia', files: ['a.ts', 'b.ts'] })).toBe('reload by Mia: a.ts and 1 more');
  });
});

describe('groupsOf', () => {
  it('lists failures first, and each extension once', () => {
    expect(groupsOf({ ...NOTHING, changed: ['a', 'b'], failed: ['b'] })).toEqual([
      { kind: 'failed', ids: ['b'] },
      { kind: 'changed', ids: ['a'] },
    ]);
  });
});

describe('changesInWords', () => {
  it('counts changes by kind', () => {
    expect(changesInWords({ ...NOTHING, added: ['a', 'b'], failed: ['c'] })).toBe('1 failed, 2 added');
  });

  it('counts tools if no extension changed', () => {
    expect(changesInWords({ ...NOTHING, tools_added: ['t'] })).toBe('1 tool changed');
    expect(changesInWords(NOTHING)).toBe('no extension changed');
  });
});
