import { expect, test } from 'vitest';
import { extensionsToRetry } from './waiting-names.ts';

/** Extension ids, each with the owner it waits for. */
const woken = (slots: Record<string, string | null>, ...changed: string[]): readonly string[] =>
  extensionsToRetry(new Map(Object.entries(slots).map(([id, awaitsOwner]) => [id, { id, newest: { awaitsOwner } }])), new Set(changed)).map(
    ({ id }) => id,
  );

test('retries only the extensions that wait for names of a changed owner', () => {
  expect(woken({ a: null, b: 'a', c: null }, 'c')).toEqual([]);
  expect(woken({ a: null, b: 'a', c: null }, 'a')).toEqual(['b']);
});

test('retries the extensions that wait for names of a removed owner', () => {
  expect(woken({ b: 'a', c: null }, 'c')).toEqual(['b']);
});

test('retries extensions that wait for each other together, with those that wait for them', () => {
  expect(woken({ a: 'b', b: 'a', c: 'b', d: 'e', e: null }, 'b')).toEqual(['a', 'b', 'c']);
});
