import { expect, it } from 'vitest';
import { withEncodedId } from './request.ts';

it.each([
  ['/extensions/tools/slugify', '/extensions/tools%2Fslugify'],
  ['/extensions/channels/inbox?tab=source', '/extensions/channels%2Finbox?tab=source'],
  ['/api/v1/extensions/tools/slugify', '/api/v1/extensions/tools%2Fslugify'],
  ['/api/v1/extensions/tools/slugify/rollback', '/api/v1/extensions/tools%2Fslugify/rollback'],
])('reads the id in %s as one segment', (target, expected) => {
  expect(withEncodedId(target)).toBe(expected);
});

it.each([
  '/extensions/tools%2Fslugify',
  '/extensions/tools',
  '/extensions/tools/',
  '/extensions/tools/..',
  '/extensions/tools/?tab=source',
  '/extensions/weather/tools/slugify',
  '/api/v1/tools/slugify/call',
  '/elsewhere?to=/extensions/tools/slugify',
])('leaves %s unchanged', (target) => {
  expect(withEncodedId(target)).toBe(target);
});
