import { expect, test } from 'vitest';
import { foldByCause } from './cause-folds.ts';
import { groupFixture } from './group-for-tests.ts';

test('puts groups with one cause together at the place of the first, and leaves the others where they are', () => {
  const related = (...ids: string[]) => ids.map((id) => ({ id, extension: id }));
  const groups = [
    groupFixture({ id: 'a', related: related('c', 'elsewhere') }),
    groupFixture({ id: 'b' }),
    groupFixture({ id: 'c', related: related('a', 'elsewhere') }),
  ];
  expect(foldByCause(groups).map(({ first, others }) => [first.id, others.map((other) => other.id)])).toEqual([
    ['a', ['c']],
    ['b', []],
  ]);
});
