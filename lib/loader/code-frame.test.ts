import { expect, test } from 'vitest';
import { PLAIN_LINE_END } from '#lib/schema/hints/source-place.ts';
import { codeFrame } from './code-frame.ts';

test('shows two lines before and after, a mark and a caret', () => {
  const source = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n');
  expect(codeFrame(source, 9, 6)).toBe('   7 | line 7\n   8 | line 8\n>  9 | line 9\n     |      ^\n  10 | line 10\n  11 | line 11');
  expect(codeFrame(source, 1, 1)).toBe('> 1 | line 1\n    | ^\n  2 | line 2\n  3 | line 3');
});

test('aligns the caret with its character after tabs and wide characters', () => {
  expect(codeFrame('\tlet a', 1, 6)).toBe('> 1 |   let a\n    |       ^');
  expect(codeFrame('"天気👍" + x', 1, 10)).toBe('> 1 | "天気👍" + x\n    |            ^');
});

test('cuts long lines around the column', () => {
  const frame = codeFrame(`${'a'.repeat(1_000)}!${'b'.repeat(1_000)}\n${'c'.repeat(500)}`, 1, 1_001).split('\n');
  expect(frame[0]).toHaveLength('> 1 | '.length + 202);
  expect(frame[0]?.[frame[1]?.indexOf('^') ?? 0]).toBe('!');
  expect(frame[2]).toBe(`  2 | ${'c'.repeat(200)}…`);
});

test('escapes control characters for a terminal', () => {
  const frame = codeFrame('a\u001b[31m\u202eb', 1, 8);
  expect(frame).toBe(`> 1 | a\\x1b[31m\\u202eb\n    | ${' '.repeat(15)}^`);
});

test('ends lines where the language of the file does', () => {
  const source = 'a\u2028b\nc';
  expect(codeFrame(source, 2, 1)).toBe('  1 | a\n> 2 | b\n    | ^\n  3 | c');
  expect(codeFrame(source, 2, 1, PLAIN_LINE_END)).toBe('  1 | a\\u2028b\n> 2 | c\n    | ^');
});

test('accepts every line ending and any position', () => {
  expect(codeFrame('a\r\nb\rc', 2, 1)).toBe('  1 | a\n> 2 | b\n    | ^\n  3 | c');
  expect(codeFrame('a', 99, 99)).toBe('> 1 | a\n    |  ^');
  expect(codeFrame('', 1, 1)).toBe('> 1 |\n    | ^');
});
