import { expect, it } from 'vitest';
import { partOf, placeOf } from './navigation.ts';

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

it('knows no place for a page that is in no navigation', () => {
  expect(placeOf('/nowhere')).toBeNull();
  expect(placeOf('/teams')).toBeNull();
});
