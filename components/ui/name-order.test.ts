import { expect, it } from 'vitest';
import { sortByName } from './name-order.ts';

const sort = (...names: string[]) => sortByName(names, (name) => name);

it('counts numbers in names, wherever they stand', () => {
  expect(sort('pack_10', 'pack_1', 'pack_2', 'pack')).toEqual(['pack', 'pack_1', 'pack_2', 'pack_10']);
  expect(sort('v10/a', 'v9/b', 'v10/A2')).toEqual(['v9/b', 'v10/a', 'v10/A2']);
});

it('puts capitals among small letters, and keeps the order of names that read the same', () => {
  expect(sort('Zebra', 'apple', 'Mango', 'mango')).toEqual(['apple', 'Mango', 'mango', 'Zebra']);
  expect(sort('a1', 'a01')).toEqual(['a1', 'a01']);
});
