import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedPart, faultsOf } from './JsonEditor.tsx';
import { byPath } from './issues.ts';
import { readJson } from './json-text.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '🚀'), maxLength: 12 });

it('replaces only the differing range', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const change = changedPart(before, after);
      if (change === null) expect(before).toBe(after);
      else expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
    }),
  );
  expect(changedPart('{"a": 1, "b": 2}', '{"a": 15, "b": 2}')).toEqual({ from: 7, to: 7, insert: '5' });
});

function marked(text: string, ...paths: string[]): string[] {
  const reading = readJson(text);
  const issues = byPath(paths.map((path) => ({ path, message: `wrong ${path}` })));
  return faultsOf(text, reading.ok ? null : reading.problem, issues).map(({ from, to, message }) => `${text.slice(from, to)}: ${message}`);
}

it('marks the invalid value, or the bracket around a missing one', () => {
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

it('marks only the syntax error if the text is not valid JSON', () => {
  expect(marked('{"a": 1 "b": 2}', '/a')).toEqual(['": A "," is missing before this.']);
  expect(marked('', '/a')).toHaveLength(1);
});
