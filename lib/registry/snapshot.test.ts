import { describe, expect, it } from 'vitest';
import type { SnapshotMember } from '#lib/contract/snapshot.ts';
import { failuresOf, snapshotChanges } from './snapshot.ts';

function member(id: string, change: Partial<SnapshotMember> = {}): SnapshotMember {
  return { id, state: 'ready', revision: 1, serving_revision: 1, pinned_revision: null, tools: [`${id}_tool`], ...change };
}

describe('the difference of two snapshots', () => {
  it('names what was added, changed and removed, with the tools that came and went', () => {
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

  it('counts an extension as changed whose channel came or went', () => {
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

  it('counts as recovered only what is ready, not what was disabled while it was broken', () => {
    const broken = member('a', { state: 'failed', revision: 2 });
    expect(snapshotChanges([broken], [member('a', { state: 'disabled', revision: 2, serving_revision: null })]).recovered).toEqual([]);
  });

  it('does not report a failure again that was there before with the same revision', () => {
    const broken = member('a', { state: 'failed', revision: 2 });
    expect(snapshotChanges([broken], [broken]).failed).toEqual([]);
    expect(snapshotChanges([broken], [member('a', { state: 'failed', revision: 3 })]).failed).toEqual(['a']);
  });
});

describe('the failures of a set', () => {
  it('are read from its identity by extension, with the revision that failed', () => {
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

it('finds changes among members that are the same objects as before', () => {
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
