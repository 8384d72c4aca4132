import { expect, it } from 'vitest';
import { countStates, filterExtensions, sortExtensions } from './extension-filter.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';

const all = [
  extensionRecord('b', 'ready', { tools: ['get_weather'] }),
  extensionRecord('a', 'ready', { description: 'Adds numbers' }),
  extensionRecord('z', 'failed'),
  extensionRecord('c', 'excluded', { kind: 'mcp' }),
];

it('lists extensions that need attention first', () => {
  expect(sortExtensions(all).map(({ id }) => id)).toEqual(['z', 'a', 'b', 'c']);
});

it('lists by name as people read it within a state', () => {
  const named = ['pack_10', 'Zebra', 'pack_2', 'apple'].map((id) => extensionRecord(id, 'ready'));
  expect(sortExtensions(named).map(({ id }) => id)).toEqual(['apple', 'pack_2', 'pack_10', 'Zebra']);
});

it('matches every word case-insensitively in names, descriptions and tools', () => {
  expect(filterExtensions(all, { q: 'WEATHER get', state: null, kind: null }).map(({ id }) => id)).toEqual(['b']);
  expect(filterExtensions(all, { q: 'adds', state: null, kind: null }).map(({ id }) => id)).toEqual(['a']);
  expect(filterExtensions(all, { q: 'adds weather', state: null, kind: null })).toEqual([]);
});

it('narrows to a state and a kind', () => {
  expect(filterExtensions(all, { q: '', state: 'failed', kind: null }).map(({ id }) => id)).toEqual(['z']);
  expect(filterExtensions(all, { q: '', state: null, kind: 'mcp' }).map(({ id }) => id)).toEqual(['c']);
});

it('counts only the states there are', () => {
  expect(countStates(all)).toEqual([
    { state: 'failed', count: 1 },
    { state: 'ready', count: 2 },
    { state: 'excluded', count: 1 },
  ]);
});
