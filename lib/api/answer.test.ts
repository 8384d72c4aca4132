import { expect, it } from 'vitest';
import { hasContent, textOfList } from './answer.ts';

const read = (list: object) => Buffer.from(textOfList(list).body).toString('utf8');

it('writes the JSON of a list', () => {
  const list = { version: 3, none: undefined, empty: [], tools: [{ name: 'ä', of: null }, undefined, 1] };
  expect(read(list)).toBe(JSON.stringify(list));
});

it('writes an element once, and another tag for other text', () => {
  let written = 0;
  const tool = {
    toJSON() {
      written += 1;
      return { name: 'a' };
    },
  };
  const one = { version: 1, tools: [tool] };
  expect(textOfList(one)).toBe(textOfList(one));
  expect(textOfList({ version: 1, tools: [tool] }).tag).toBe(textOfList(one).tag);
  expect(textOfList({ version: 2, tools: [tool] }).tag).not.toBe(textOfList(one).tag);
  expect(written).toBe(1);
});

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['', false],
  [undefined, false],
])('compares If-None-Match %s', (header, expected) => {
  expect(hasContent(header, '"a"')).toBe(expected);
});
