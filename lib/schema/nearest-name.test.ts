import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test.each([
  ['Tool', ['status', 'TOOL'], 'TOOL'],
  ['exec', ['execute', 'exce'], 'exce'],
  ['helprs.ts', ['helpers.ts', 'other.ts'], 'helpers.ts'],
  ['discription', ['label', 'description'], 'description'],
])('finds the intended name for a typo: %s', (written, names, meant) => {
  expect(nearestName(written, names)).toBe(meant);
});

test('suggests neither distant names nor the name itself', () => {
  expect(nearestName('weather', ['shell', 'math'])).toBeNull();
  expect(nearestName('shell', ['shell'])).toBeNull();
  expect(nearestName('', ['a'])).toBe('a');
});
