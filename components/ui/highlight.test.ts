import { expect, test } from 'vitest';
import { jsonLines } from './highlight.ts';

const coloured = (code: string) =>
  jsonLines(code).map(({ tokens }) => tokens.filter(({ className }) => className !== null).map(({ text, className }) => [text, className]));

test('distinguishes names, strings and other values', () => {
  const code = JSON.stringify({ 'k:"y': 'a: "b", 1\n', n: -1.5e-7, list: [1, true, null], none: {} }, null, 2);
  expect(coloured(code).flat()).toEqual([
    ['"k:\\"y"', 'token-keyword'],
    ['"a: \\"b\\", 1\\n"', 'token-string'],
    ['"n"', 'token-keyword'],
    ['-1.5e-7', 'token-number'],
    ['"list"', 'token-keyword'],
    ['1', 'token-number'],
    ['true', 'token-number'],
    ['null', 'token-number'],
    ['"none"', 'token-keyword'],
  ]);
});

test('keeps every character, with offsets', () => {
  for (const code of ['', '{}', '{\n  "a": "cut off…\nnot JSON at all\n12 truely\n', JSON.stringify([{ a: [1, '"'] }], null, 4)]) {
    const lines = jsonLines(code);
    expect(lines.map(({ tokens }) => tokens.map(({ text }) => text).join('')).join('\n')).toBe(code);
    for (const { at, text } of lines.flatMap(({ tokens }) => tokens)) expect(code.slice(at, at + text.length)).toBe(text);
  }
  expect(coloured('12 truely "cut off')).toEqual([[['12', 'token-number']]]);
});
