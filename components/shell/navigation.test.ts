import { expect, it } from 'vitest';
import { placeOf } from './navigation.ts';

it.each([
  ['/', 'Overview'],
  ['/extensions', 'Extensions'],
  ['/extensions/pack%2Ftool', 'Extensions'],
  ['/calls/compare', 'Calls'],
  ['/team', 'Team'],
  ['/team/tokens', 'Tokens'],
  ['/team/audit', 'Audit'],
  ['/profile', 'Profile'],
  ['/instances', 'Instances'],
  ['/tools/100%', 'Tools'],
])('%s is part of %s', (path, place) => {
  expect(placeOf(path)?.name).toBe(place);
});

it('returns null for a page outside the navigation', () => {
  expect(placeOf('/nowhere')).toBeNull();
  expect(placeOf('/teams')).toBeNull();
});
