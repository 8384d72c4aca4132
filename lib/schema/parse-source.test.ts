import { expect, test } from 'vitest';
import { parseSource } from './parse-source.ts';

test.each([
  ['lists', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['objects', '{a:'.repeat(50_000)],
  ['templates', '`${'.repeat(20_000)],
  ['type arguments', `let a: ${'A<'.repeat(20_000)}`],
])('a text of nested %s is not given to the parser', (_, text) => {
  expect(parseSource('a.ts', `x = ${text}`)).toBeNull();
});

test('a long text is', () => {
  const text = 'if (a < b) { x([1, { a: `${b}` }]); }\n'.repeat(5_000);
  expect(parseSource('a.ts', text)?.program.body).toHaveLength(5_000);
});

test('a text with one endless word is looked through at once', () => {
  expect(parseSource('a.ts', `x = '${'a'.repeat(2_000_000)}';\n${'a < b;\n'.repeat(2_000)}`)).not.toBeNull();
});
