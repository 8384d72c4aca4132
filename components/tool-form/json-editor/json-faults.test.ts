import { expect, it } from 'vitest';
import { byPath } from '../issues.ts';
import { readJson } from '../json-text.ts';
import { faultsOf } from './json-faults.ts';

function marked(text: string, ...paths: string[]): string[] {
  const reading = readJson(text);
  const issues = byPath(paths.map((path) => ({ path, message: `wrong ${path}` })));
  return faultsOf(text, reading.ok ? null : reading.problem, issues).map(({ from, to, message }) => `${text.slice(from, to)}: ${message}`);
}

it('marks the value that is wrong, or the bracket around what is missing', () => {
  const text = '{"a/b": [1, {"c": "x"}], "d": 2}';
  expect(marked(text, '/a~1b/1/c', '/d')).toEqual(['"x": wrong /a~1b/1/c', '2: wrong /d']);
  expect(marked(text, '/a~1b', '/e', '', '/a~1b/1/z', '/a~1b/7')).toEqual([
    '[: wrong /a~1b',
    '{: wrong /e',
    '{: wrong ',
    '{: wrong /a~1b/1/z',
    '[: wrong /a~1b/7',
  ]);
});

it('marks first of all where the text cannot be read', () => {
  expect(marked('{"a": 1 "b": 2}', '/a')).toEqual(['": A "," is missing before this.']);
  expect(marked('', '/a')).toHaveLength(1);
});
