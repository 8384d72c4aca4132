import { expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

it.each(['/', '/calls', '/calls?status=failed&q=a%20b', '/extensions/math#source', '/tools/a%2Fb', '/calls?to=//elsewhere.example'])(
  'returns to %s',
  (to) => {
    expect(returnPath(to)).toBe(to);
  },
);

it.each([
  'https://elsewhere.example',
  '//elsewhere.example',
  '///elsewhere.example',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  '/a\\b',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '/.//elsewhere.example',
  '/a/..//elsewhere.example',
  'javascript:alert(1)',
  'calls',
  '',
  ' /calls',
  '/café',
  `/${'a'.repeat(5_000)}`,
  '/sign-in?to=%2Fcalls',
  '/join',
  undefined,
  ['/calls', '/tools'],
])('returns to the overview instead of %j', (to) => {
  expect(returnPath(to)).toBe('/');
});
