import { expect, it } from 'vitest';
import { sortByName } from './name-order.ts';

const sort = (...names: string[]) => sortByName(names, (name) => name);

it('compares numbers anywhere in names by value', () => {
  expect(sort('pack_10', 'pack_1', 'pack_2', 'pack')).toEqual(['pack', 'pack_1', 'pack_2', 'pack_10']);
  expect(sort('v10/a', 'v9/b', 'v10/A2')).toEqual(['v9/b', 'v10/a', 'v10/A2']);
});

it('ignores case, and keeps the order of equal names', () => {
  expect(sort('Zebra', 'apple', 'Mango', 'mango')).toEqual(['apple', 'Mango', 'mango', 'Zebra']);
  expect(sort('a1', 'a01')).toEqual(['a1', 'a01']);
});
