import { expect, it } from 'vitest';
import { partInShort, partOf, placeOf } from './navigation.ts';

it.each([
  ['/', 'Overview', null],
  ['/extensions', 'Extensions', null],
  ['/extensions/pack%2Ftool', 'Extensions', 'pack/tool'],
  ['/calls/compare', 'Calls', 'compare'],
  ['/team', 'Team', null],
  ['/team/tokens', 'Tokens', null],
  ['/team/audit', 'Audit', null],
  ['/profile', 'Profile', null],
  ['/tools/100%', 'Tools', '100%'],
])('%s is %s, with %s open', (path, place, part) => {
  expect(placeOf(path)?.name).toBe(place);
  expect(partOf(path)).toBe(part);
});

it('shows the end of an id and every other part as it is', () => {
  expect(partInShort('01a20fe9-0201-7aef-a0b6-78f4550421a8')).toBe('…550421a8');
  expect(partInShort('compare')).toBe('compare');
});

it('knows no place for a page that is in no navigation', () => {
  expect(placeOf('/nowhere')).toBeNull();
  expect(placeOf('/teams')).toBeNull();
});
