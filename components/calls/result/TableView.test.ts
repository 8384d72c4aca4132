import { describe, expect, it } from 'vitest';
import { columnsOf, isTable, listIn, tableCsv } from './TableView.tsx';

describe('a table', () => {
  it('is made only of a list of objects', () => {
    expect(isTable([{ a: 1 }, { b: 2 }])).toBe(true);
    for (const value of [[], [1], [{ a: 1 }, 2], [[1]], [null], [{}], { a: [] }, 'text']) expect(isTable(value)).toBe(false);
  });

  it('has a column for each property of any row', () => {
    expect(columnsOf([{ b: 1 }, { a: 1, b: 2 }])).toEqual(['b', 'a']);
    const late = [...Array.from({ length: 5_000 }, () => ({ a: 1 })), { note: 'late' }];
    expect(tableCsv(late)).toMatch(/^a,note\r\n1,\r\n[^]*\r\n,late\r\n$/);
  });

  it('is exported as CSV without formulas, with numbers as numbers', () => {
    const items = [
      { name: '=HYPERLINK("x")', n: -5 },
      { name: '-1+1', n: null },
      { name: 'a,"b"\nc', n: { x: 1 } },
      { '@evil': '\tx' },
      { name: '\n=1' },
      { name: '＝1' },
    ];
    expect(tableCsv(items).split('\r\n')).toEqual([
      "name,n,'@evil",
      `"'=HYPERLINK(""x"")",-5,`,
      "'-1+1,,",
      '"a,""b""\nc","{""x"":1}",',
      ",,'\tx",
      `"'\n=1",,`,
      "'＝1,,",
      '',
    ]);
  });
});

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
    'is missing or ambiguous in %j',
    (value) => {
      expect(listIn(value)).toBeNull();
    },
  );
});
