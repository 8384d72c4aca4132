import { describe, expect, it } from 'vitest';
import { settleClaims } from './name-claims.ts';

const owned = (entries: Record<string, string[]>): Map<string, string[]> => new Map(Object.entries(entries));

/** Every order of a list. */
function orders<Item>(items: readonly Item[]): Item[][] {
  return items.length < 2 ? [[...items]] : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

describe('deciding which extension owns a tool name', () => {
  it('assigns a name claimed by several new extensions to the first id in code-point order, in any order of claims', () => {
    const claims = ['zebra', 'alpha', 'Beta', 'beta', 'tools/search'].map((id) => ({ id, names: ['search'] }));
    const all = orders(claims);
    expect(all.length).toBeGreaterThan(100);
    for (const order of all) {
      const { accepted, refused } = settleClaims(owned({}), order);
      expect([...accepted]).toEqual(['Beta']);
      expect(refused.map((item) => item.owner)).toEqual(['Beta', 'Beta', 'Beta', 'Beta']);
    }
  });

  it('leaves a name with the extension that serves it, despite a smaller id', () => {
    const { accepted, refused } = settleClaims(owned({ zebra: ['search'] }), [{ id: 'alpha', names: ['search'] }]);
    expect(accepted.size).toBe(0);
    expect(refused).toEqual([{ id: 'alpha', name: 'search', owner: 'zebra' }]);
  });

  it('lets an extension register its own names again', () => {
    expect(settleClaims(owned({ a: ['one'] }), [{ id: 'a', names: ['one', 'two'] }]).refused).toEqual([]);
  });

  it('frees a name that its owner releases in the same round, in any order', () => {
    const claims = [
      { id: 'a', names: ['taken'] },
      { id: 'b', names: ['other'] },
    ];
    for (const order of orders(claims)) expect([...settleClaims(owned({ b: ['taken'] }), order).accepted].sort()).toEqual(['a', 'b']);
  });

  it('does not free the names of a refused claim', () => {
    const { accepted, refused } = settleClaims(owned({ b: ['mine'], c: ['theirs'] }), [
      { id: 'a', names: ['mine'] },
      { id: 'b', names: ['theirs'] },
    ]);
    expect(accepted.size).toBe(0);
    expect(refused).toEqual([
      { id: 'a', name: 'mine', owner: 'b' },
      { id: 'b', name: 'theirs', owner: 'c' },
    ]);
  });

  it('lets two or more extensions exchange names that they release in the same round, in any order', () => {
    const before = owned({ a: ['one'], b: ['two'], c: ['three'], d: ['four'] });
    const claims = [
      { id: 'a', names: ['two', 'new'] },
      { id: 'b', names: ['three'] },
      { id: 'c', names: ['one'] },
    ];
    for (const order of orders(claims)) {
      const { accepted, refused } = settleClaims(before, order);
      expect([[...accepted].sort(), refused]).toEqual([['a', 'b', 'c'], []]);
    }
  });

  it('exchanges no names with an extension whose own claim is refused', () => {
    const claims = [
      { id: 'a', names: ['two'] },
      { id: 'b', names: ['one', 'four'] },
    ];
    for (const order of orders(claims)) {
      const { accepted, refused } = settleClaims(owned({ a: ['one'], b: ['two'], d: ['four'] }), order);
      expect(accepted.size).toBe(0);
      expect(refused.map(({ id, owner }) => [id, owner])).toEqual([
        ['a', 'b'],
        ['b', 'a'],
      ]);
    }
  });

  it('assigns a name that two extensions of an exchange claim to the first one', () => {
    const claims = [
      { id: 'a', names: ['two'] },
      { id: 'b', names: ['one'] },
      { id: 'c', names: ['one'] },
    ];
    for (const order of orders(claims)) {
      const { accepted, refused } = settleClaims(owned({ a: ['one'], b: ['two'] }), order);
      expect([...accepted].sort()).toEqual(['a', 'b']);
      expect(refused).toEqual([{ id: 'c', name: 'one', owner: 'b' }]);
    }
  });
});
