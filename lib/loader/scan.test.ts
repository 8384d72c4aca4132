import { expect, it } from 'vitest';
import { partOf, touchedParts } from './scan.ts';

it.each([
  ['/e/weather/extension.ts', 'weather'],
  ['/e/weather/deep/helper.ts', 'weather'],
  ['/e/weather', 'weather'],
  ['/e/mcp.json', 'mcp.json'],
  ['/e/tools/add.ts', 'tools/add.ts'],
  ['/e/tools/parts/add.ts', 'tools/parts'],
  ['/e/tools', 'tools'],
  ['/e', null],
  ['/elsewhere/helper.ts', null],
])('finds the part of %s', (file, part) => {
  expect(partOf('/e', file)).toBe(part);
});

it('names the touched parts, and none when anything may have changed', () => {
  expect(touchedParts('/e', ['/e/a/extension.ts', '/e/a/helper.ts', '/e/tools/b.py'])).toEqual(new Set(['a', 'tools/b.py']));
  expect(touchedParts('/e', [])).toBeNull();
  expect(touchedParts('/e', ['/e/a/extension.ts', '/outside/helper.ts'])).toBeNull();
  expect(touchedParts('/e', ['/e/tools'])).toBeNull();
});
