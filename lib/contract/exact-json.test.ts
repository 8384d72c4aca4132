import { expect, test } from 'vitest';
import { bigintsIn, isBeyondDouble } from './big-integers.ts';
import { parseExactJson } from './exact-json.ts';

const BIG = '1234567890123456789';

test.each([
  BIG,
  `-${BIG}`,
  `{"id":${BIG}}`,
  `{"id":-${BIG},"ids":[9007199254740993,18446744073709551615,9223372036854775807]}`,
  `[${BIG},"${BIG}",{"${BIG}":${BIG}}]`,
  `{"said":"a \\"quoted\\" id: ${BIG}, and \\\\","id":${BIG}}`,
  `[${'9'.repeat(3_000)}]`,
  `[100000000000000000000000]`,
])('writes %s as it was read', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});

test('keeps integers exact between spaces', () => {
  expect(parseExactJson(` { "a" :\t${BIG}\n, "b": [ ${BIG} , 1 ] } `)).toEqual({ a: BigInt(BIG), b: [BigInt(BIG), 1] });
});

test('reads every other number as JSON.parse does', () => {
  for (const text of [
    '[9007199254740991,9007199254740992,1e21,0.30000000000000004,12345678901234567.5,12345678901234567e3]',
    '{"at":"1234567890123456789","text":"[1234567890123456789]","also":", 1234567890123456789 ]"}',
    // The text that JavaScript writes for a double parses as the same double.
    JSON.stringify([2 ** 53, 2 ** 60, 2 ** 65, -(2 ** 69), Number.MAX_VALUE]),
    '[0,-0,null,true,"é"]',
  ])
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  expect(parseExactJson(`[${'9'.repeat(3_101)}]`)).toEqual([Number.POSITIVE_INFINITY]);
});

test('finds an integer wherever it begins in a text', () => {
  for (let before = 0; before < 40; before += 1) {
    const text = `[${' '.repeat(before)}12345678901234567,1]`;
    expect(parseExactJson(text)).toEqual([12345678901234567n, 1]);
  }
});

test('refuses what JSON.parse refuses', () => {
  for (const text of ['', `[${BIG}`, `${BIG}x`, `[0${BIG}]`, `{"a":${BIG},}`]) expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('keeps keys and values that look like its own placeholders', () => {
  const text = `{"__proto__":${BIG},"constructor":[${BIG}]}`;
  const read = parseExactJson(text);
  expect(JSON.stringify(read)).toBe(text);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test('reads nesting of any depth', () => {
  const deep = 200_000;
  let value = parseExactJson(`${'['.repeat(deep)}${BIG}${']'.repeat(deep)}`);
  while (Array.isArray(value)) [value] = value;
  expect(value).toBe(BigInt(BIG));
});

test('finds bigints and their paths', () => {
  expect(bigintsIn({ a: [1, 5n], b: { 'c/d': 7n }, e: 'x' })).toEqual([
    { path: ['a', '1'], value: 5n },
    { path: ['b', 'c/d'], value: 7n },
  ]);
  expect(bigintsIn({ a: [1, '5'] })).toEqual([]);
});

test('recognizes integers that a double cannot represent', () => {
  expect([BIG, '9007199254740993', `-${BIG}`, '1000000000000000000000'].every(isBeyondDouble)).toBe(true);
  expect(['9007199254740992', '12', '123456789012345680000'].some(isBeyondDouble)).toBe(false);
});
