import { expect, it } from 'vitest';
import { parseCodeFrame } from './code-frame.ts';

it('reads the numbers, the marked line and the place of the caret', () => {
  const frame = parseCodeFrame("   9 | \n> 10 |   name: 'a',\n     |         ^\n  11 | };");
  expect(frame).toEqual({
    lines: [
      { number: 9, code: '', marked: false },
      { number: 10, code: "  name: 'a',", marked: true },
      { number: 11, code: '};', marked: false },
    ],
    caret: 8,
  });
});

it('keeps a bar inside the code', () => {
  expect(parseCodeFrame('> 1 | const a = b | c;')?.lines[0]?.code).toBe('const a = b | c;');
});

it('has no caret where the frame has none', () => {
  expect(parseCodeFrame('  1 | a\n> 2 | b')?.caret).toBeNull();
});

it('leaves a text that is not a frame to be shown as it is', () => {
  expect(parseCodeFrame('Error: no such file')).toBeNull();
  expect(parseCodeFrame('')).toBeNull();
});
