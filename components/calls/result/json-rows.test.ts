import { describe, expect, it } from 'vitest';
import { findInJson } from './JsonTree.tsx';
import { openedLevels, openedTo, rowsOf } from './json-rows.ts';

const lines = (value: unknown, open: ReadonlySet<string>) =>
  rowsOf(value, open).map(({ level, pointer, range }) => `${level} ${pointer}${range === null ? '' : ` ${range.join('-')}`}`);

describe('the rows of a tree', () => {
  const value = { 'a/b': { '~': [1, { deep: true }] }, last: null };

  it('are those of open nodes, with RFC 6901 pointers', () => {
    expect(lines(value, new Set())).toEqual(['1 ']);
    expect(lines(value, new Set(['', '/a~1b']))).toEqual(['1 ', '2 /a~1b', '3 /a~1b/~0', '2 /last']);
  });

  it('have a position among their siblings', () => {
    const rows = rowsOf(value, new Set(['']));
    expect(rows.map(({ position, setSize, canOpen }) => [position, setSize, canOpen])).toEqual([
      [1, 1, true],
      [1, 2, true],
      [2, 2, false],
    ]);
  });

  it('are split into chunks of a hundred', () => {
    const long = Array.from({ length: 250 }, (_, at) => at);
    expect(lines(long, new Set(['']))).toEqual(['1 ', '2  0-99', '2  100-199', '2  200-249']);
    const open = openedTo(long, '/249', new Set());
    expect(lines(long, open)).toHaveLength(54);
    expect(lines(long, open)).toContain('3 /249');
  });

  it('are split into chunks for large objects, too, and reach each member', () => {
    const wide = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`name ${at}`, at]));
    expect(lines(wide, openedTo(wide, '/name 129', new Set()))).toContain('3 /name 129');
  });

  it('include own properties only, such as an own __proto__', () => {
    expect(lines(JSON.parse('{"__proto__": {"a": 1}}'), new Set(['', '/__proto__']))).toEqual(['1 ', '2 /__proto__', '3 /__proto__/a']);
  });

  it('are opened level by level as far as they fit', () => {
    const table = { rows: Array.from({ length: 50 }, () => ({ a: 1, b: 2 })), more: { x: 1 } };
    const open = openedLevels(table, 60);
    expect(open).toContain('/rows');
    expect(open).toContain('/more');
    expect(rowsOf(table, open).length).toBeLessThanOrEqual(60);
    expect(
      openedLevels(
        Array.from({ length: 1_000_000 }, () => 1),
        5,
      ),
    ).toEqual(new Set(['']));
  });

  it('include all nodes once all are opened, also in chunks', () => {
    const list = Array.from({ length: 250 }, (_, at) => ({ at }));
    expect(rowsOf(list, openedLevels(list, 20_000, 'open'))).toHaveLength(1 + 3 + 250 + 250);
    const object = Object.fromEntries(list.map((each, at) => [`key ${at}`, each]));
    expect(rowsOf(object, openedLevels(object, 20_000, 'open'))).toHaveLength(1 + 3 + 250 + 250);
    expect(rowsOf(list, openedLevels(list, 300, 'open')).length).toBeLessThanOrEqual(300);
  });
});

describe('the search', () => {
  it('finds names and values case-insensitively, in tree order', () => {
    const value = { Oslo: 1, list: ['x', { city: 'OSLO' }], 'a/b': 'oslo' };
    expect(findInJson(value, 'oslo', 10)).toEqual({ pointers: ['/Oslo', '/list/1/city', '/a~1b'], isCut: false });
  });

  it('stops at a maximum number of matches', () => {
    expect(
      findInJson(
        Array.from({ length: 50 }, () => 'x'),
        'x',
        20,
      ),
    ).toMatchObject({ isCut: true });
  });

  it('does not overflow the stack for deep values', () => {
    let deep: unknown = 'needle';
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(findInJson(deep, 'needle', 5).pointers).toHaveLength(1);
  });

  it('finds numbers, true and null by their JSON text', () => {
    expect(findInJson([1.5, true, null], 'null', 5).pointers).toEqual(['/2']);
    expect(findInJson([1.5, true, null], '1.5', 5).pointers).toEqual(['/0']);
  });
});

it.each([
  ['an array', Array.from({ length: 2_000 }, (_, at) => [at])],
  ['an object', Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`key_${at}`, [at]]))],
])('reads each member of %s once, however many chunks it has', (_, value) => {
  const reads = { keys: 0, members: 0 };
  const counted = new Proxy<object>(value, {
    ownKeys(target) {
      reads.keys += 1;
      return Reflect.ownKeys(target);
    },
    get(target, key, receiver) {
      if (key !== 'length') reads.members += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  expect(openedLevels(counted, 20_000, 'open').size).toBe(1 + 20 + 2_000);
  expect(reads.keys).toBeLessThanOrEqual(1);
  expect(reads.members).toBeLessThanOrEqual(2_000);
});
