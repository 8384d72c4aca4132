import { describe, expect, it } from 'vitest';
import { listIn } from './list-in.ts';

const ROWS = [{ a: 1 }, { a: 2 }];

describe('the list in a result', () => {
  it.each([
    [ROWS, '', true],
    [{ items: ROWS }, '/items', true],
    [{ data: { rows: ROWS } }, '/data/rows', true],
    [{ items: ROWS, total: 2, tags: ['x'] }, '/items', false],
    [{ 'a/b': ROWS, next: null }, '/a~1b', false],
  ])('of %j is at %j', (value, pointer, isAll) => {
    expect(listIn(value)).toEqual({ items: ROWS, pointer, isAll });
  });

  it.each([[{ open: ROWS, closed: ROWS }], [{ items: [1, 2] }], [{ items: [] }], [[{ items: ROWS }, 1]], ['text'], [null]])(
    'is not there, or not one, in %j',
    (value) => {
      expect(listIn(value)).toBeNull();
    },
  );
});
