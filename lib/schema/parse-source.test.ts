import { expect, test } from 'vitest';
import { parseSource } from './parse-source.ts';

test.each([
  ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['objects', '{a:'.repeat(50_000)],
  ['templates', '`${'.repeat(20_000)],
  ['type arguments', `let a: ${'A<'.repeat(20_000)}`],
])('does not parse a text of nested %s', (_, text) => {
  expect(parseSource('a.ts', `x = ${text}`)).toBeNull();
});

test('parses a long text', () => {
  const text = 'if (a < b) { x([1, { a: `${b}` }]); }\n'.repeat(5_000);
  expect(parseSource('a.ts', text)?.program.body).toHaveLength(5_000);
});

test('parses a text with one very long word', () => {
  expect(parseSource('a.ts', `x = '${'a'.repeat(2_000_000)}';\n${'a < b;\n'.repeat(2_000)}`)).not.toBeNull();
});
