import { describe, expect, it } from 'vitest';
import { ShortLivedMap, ShortLivedSet } from './short-lived.ts';

describe('a short-lived map', () => {
  it('keeps entries in insertion order until they are deleted', () => {
    const map = new ShortLivedMap<string, number>();
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    expect([...map.values()]).toEqual([3, 2]);
    expect([...map.keys()]).toEqual(['a', 'b']);
    expect([map.get('a'), map.get('none'), map.has('b'), map.has('none'), map.size]).toEqual([3, undefined, true, false, 2]);
    expect([map.delete('a'), map.delete('a'), map.size]).toEqual([true, false, 1]);
    map.clear();
    expect([map.size, map.get('b'), [...map.values()]]).toEqual([0, undefined, []]);
  });

  it('allows deletions and insertions during iteration', () => {
    const map = new ShortLivedMap<number, number>();
    for (const n of [1, 2, 3]) map.set(n, n);
    const seen: number[] = [];
    for (const value of map.values()) {
      seen.push(value);
      map.delete(2);
      if (value === 1) map.set(4, 4);
    }
    expect(seen).toEqual([1, 3, 4]);
  });
});

describe('a short-lived set', () => {
  it('returns an idempotent function that removes the value', () => {
    const set = new ShortLivedSet<string>();
    const leave = set.add('a');
    set.add('b');
    set.add('b');
    expect([...set]).toEqual(['a', 'b', 'b']);
    leave();
    leave();
    expect([[...set], set.size]).toEqual([['b', 'b'], 2]);
  });
});
