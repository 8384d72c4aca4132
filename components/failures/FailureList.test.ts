import { expect, test } from 'vitest';
import { foldByCause } from './FailureList.tsx';
import { groupFixture } from './group-for-tests.ts';

test('folds groups with the same cause at the position of the first', () => {
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

test('keeps the id of a fold if its order changes or a group is added', () => {
  const related = (...ids: string[]) => ids.map((id) => ({ id, extension: id }));
  const [a, c, e] = [
    groupFixture({ id: 'a', related: related('c') }),
    groupFixture({ id: 'c', related: related('a') }),
    groupFixture({ id: 'e', related: related('c', 'a') }),
  ];
  for (const groups of [
    [a, c],
    [c, a],
    [e, a, c],
  ])
    expect(foldByCause(groups).map(({ id }) => id)).toEqual(['a']);
});
