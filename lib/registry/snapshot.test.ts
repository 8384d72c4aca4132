import { describe, expect, it } from 'vitest';
import type { SnapshotMember } from '#lib/contract/snapshot.ts';
import { NO_FEATURES } from '#lib/contract/server-features.ts';
import { extensionRecord, toolRecord } from '#lib/testing/api-records.ts';
import { buildSnapshot, failuresOf, snapshotChanges, type SnapshotEntry } from './snapshot.ts';

function member(id: string, change: Partial<SnapshotMember> = {}): SnapshotMember {
  return { id, state: 'ready', revision: 1, serving_revision: 1, pinned_revision: null, tools: [`${id}_tool`], ...change };
}

describe('the difference of two snapshots', () => {
  it('lists added, changed and removed extensions, with their added and removed tools', () => {
    const changes = snapshotChanges(
      [member('a'), member('b')],
      [member('b', { revision: 2, serving_revision: 2, tools: ['renamed'] }), member('c')],
    );
    expect(changes).toEqual({
      added: ['c'],
      changed: ['b'],
      removed: ['a'],
      failed: [],
      recovered: [],
      tools_added: ['renamed', 'c_tool'],
      tools_removed: ['a_tool', 'b_tool'],
    });
  });

  it('counts an extension as changed when its channel is added or removed', () => {
    const serving = member('a', { tools: [], channels: ['a'] });
    const gone = member('a', { tools: [] });
    expect(snapshotChanges([gone], [serving]).changed).toEqual(['a']);
    expect(snapshotChanges([serving], [gone]).changed).toEqual(['a']);
    expect(snapshotChanges([serving], [serving]).changed).toEqual([]);
  });

  it('counts a degraded extension as failed and a return to ready as recovered', () => {
    const broken = member('a', { state: 'degraded', revision: 2 });
    expect(snapshotChanges([member('a')], [broken]).failed).toEqual(['a']);
    expect(snapshotChanges([broken], [member('a', { revision: 3, serving_revision: 3 })]).recovered).toEqual(['a']);
  });

  it('counts an extension as recovered only if it is ready, not if it was disabled while it failed', () => {
    const broken = member('a', { state: 'failed', revision: 2 });
    expect(snapshotChanges([broken], [member('a', { state: 'disabled', revision: 2, serving_revision: null })]).recovered).toEqual([]);
  });

  it('does not report an existing failure of the same revision again', () => {
    const broken = member('a', { state: 'failed', revision: 2 });
    expect(snapshotChanges([broken], [broken]).failed).toEqual([]);
    expect(snapshotChanges([broken], [member('a', { state: 'failed', revision: 3 })]).failed).toEqual(['a']);
  });
});

describe('the failures of a snapshot', () => {
  it('are read from its identity by extension, with the failed revision', () => {
    expect(failuresOf(new Map())).toEqual(new Map());
    expect(
      failuresOf(
        new Map([
          ['a', '["a","failed",2,null,null,"hash","print",[["a_tool",false]]]'],
          ['b', '["b","ready",1,1,null,"hash",null,[]]'],
        ]),
      ),
    ).toEqual(new Map([['a', { revision: 2, fingerprint: 'print' }]]));
  });
});

it('detects changes in members that are the same objects as before', () => {
  const [same, broken] = [member('same'), member('broken', { state: 'failed' })];
  const before = [same, broken, member('gone', { tools: ['b'] }), member('moved', { tools: ['c'] })];
  const fresh = member('fresh', { tools: ['c'], state: 'failed' });
  expect(snapshotChanges(before, [same, broken, member('moved', { tools: ['b', 'd'] }), fresh])).toEqual({
    added: ['fresh'],
    changed: ['moved'],
    removed: ['gone'],
    failed: ['fresh'],
    recovered: [],
    tools_added: ['d'],
    tools_removed: [],
  });
});

describe('a snapshot built from the previous one', () => {
  const entry = (id: string, names: readonly string[], prompts: readonly string[] | null = null): SnapshotEntry<string> => ({
    extension: extensionRecord(id),
    place: { folder: `/e/${id}`, entryFile: null },
    tools: names.map((name) => toolRecord(name, { extension: id })),
    features: prompts === null ? null : { ...NO_FEATURES, prompts: prompts.map((name) => ({ name })) },
    running: id,
  });
  const [a, b, c] = [entry('a', ['one', 'two']), entry('b', ['three']), entry('c', [], ['ask'])];
  const before = buildSnapshot(1, [c, b, a]);

  it.each<[string, readonly SnapshotEntry<string>[]]>([
    ['nothing changed', [a, b, c]],
    ['an entry changed and not its tools', [a, entry('b', ['three']), c]],
    ['a tool was renamed', [a, entry('b', ['zero']), c]],
    ['a tool moved', [entry('a', ['one']), entry('b', ['two', 'three']), c]],
    ['an entry was added', [a, entry('ab', ['ab']), b, c]],
    ['an entry was removed', [a, c]],
    ['an entry was replaced by another', [a, entry('d', ['three']), c]],
    ['a server took a name that another has', [a, entry('b', ['three'], ['ask']), c]],
    ['a server no longer offers anything', [a, b, entry('c', [])]],
  ])('equals one built from scratch, when %s', (_, entries) => {
    const made = buildSnapshot(2, entries, before);
    const anew = buildSnapshot(2, entries);
    expect({ ...made, entries: [...made.entries], tools: [...made.tools] }).toEqual({
      ...anew,
      entries: [...anew.entries],
      tools: [...anew.tools],
    });
    expect(before.entries.get('b')).toBe(b);
  });
});
