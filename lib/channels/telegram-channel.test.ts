import { expect, it } from 'vitest';
import { splitText } from './telegram-channel.ts';

it('leaves a short text unchanged', () => {
  expect(splitText('a b\nc', 10)).toEqual(['a b\nc']);
  expect(splitText('', 10)).toEqual(['']);
});

it('splits after a line, else after a word, else anywhere', () => {
  expect(splitText('first line\nsecond', 12)).toEqual(['first line', 'second']);
  expect(splitText('first second third', 12)).toEqual(['first second', 'third']);
  expect(splitText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
});

it('never splits a character', () => {
  expect(splitText('abc😀def', 4)).toEqual(['abc', '😀de', 'f']);
});

it('makes no part too long', () => {
  const text = Array.from({ length: 3_000 }, (_, index) => `${index}`).join(' ');
  const parts = splitText(text);
  expect(parts.every((part) => part.length <= 4_096)).toBe(true);
  expect(parts.join(' ')).toBe(text);
});
