import { expect, it } from 'vitest';
import { navItemOf } from './navigation.ts';

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
])('%s is part of %s', (path, navItem) => {
  expect(navItemOf(path)?.name).toBe(navItem);
});

it('returns null for a page outside the navigation', () => {
  expect(navItemOf('/nowhere')).toBeNull();
  expect(navItemOf('/teams')).toBeNull();
});
