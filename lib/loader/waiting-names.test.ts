import { expect, test } from 'vitest';
import { wokenBy } from './waiting-names.ts';

/** Extension ids, each with the owner it waits for. */
const woken = (slots: Record<string, string | null>, ...changed: string[]): readonly string[] =>
  wokenBy(new Map(Object.entries(slots).map(([id, awaitsOwner]) => [id, { id, newest: { awaitsOwner } }])), new Set(changed)).map(
    ({ id }) => id,
  );

test('a change of the owner retries the extensions that wait for its names, and no others', () => {
  expect(woken({ a: null, b: 'a', c: null }, 'c')).toEqual([]);
  expect(woken({ a: null, b: 'a', c: null }, 'a')).toEqual(['b']);
});

test('a removed owner retries them too', () => {
  expect(woken({ b: 'a', c: null }, 'c')).toEqual(['b']);
});

test('extensions that wait for each other, and those behind them, are retried together', () => {
  expect(woken({ a: 'b', b: 'a', c: 'b', d: 'e', e: null }, 'b')).toEqual(['a', 'b', 'c']);
});
