import { expect, test } from 'vitest';
import { wokenBy } from './waiting-names.ts';

/** Extension ids, each with the owner it waits for. */
const woken = (slots: Record<string, string | null>, ...changed: string[]): readonly string[] =>
  wokenBy(new Map(Object.entries(slots).map(([id, awaitsOwner]) => [id, { id, newest: { awaitsOwner } }])), new Set(changed)).map(
    ({ id }) => id,
  );

test('who waits for a name is woken by its owner, and by nobody else', () => {
  expect(woken({ a: null, b: 'a', c: null }, 'c')).toEqual([]);
  expect(woken({ a: null, b: 'a', c: null }, 'a')).toEqual(['b']);
});

test('an owner that is gone wakes too', () => {
  expect(woken({ b: 'a', c: null }, 'c')).toEqual(['b']);
});

test('two that wait for each other, and those behind them, are woken together', () => {
  expect(woken({ a: 'b', b: 'a', c: 'b', d: 'e', e: null }, 'b')).toEqual(['a', 'b', 'c']);
});
