import { expect, it } from 'vitest';
import { isJson } from './is-json.ts';

const WELL = [
  '{"a":[1,-0.5e+10,true,false,null,"x\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D"],"b":{},"c":[],"":{"d":[[],{}]}}',
  ' [ 1 , 2 ] ',
  '\n{ "a" : 1 ,\t"a" : 2 }\r\n',
  '"grüße 😀"',
  '0',
  '-0',
  '10',
  '1E-2',
  'null',
  '""',
];

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it.each(WELL)('accepts valid JSON: %s', (text) => {
  expect(isJson(Buffer.from(text))).toBe(true);
});

it('agrees with JSON.parse when a character is missing, doubled or replaced', () => {
  const signs = [
    '',
    ' ',
    '\n',
    '\u0000',
    '"',
    '\\',
    '/',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '+',
    '-',
    '.',
    '0',
    '1',
    '9',
    'a',
    'e',
    'f',
    'n',
    'u',
  ];
  const wrong: string[] = [];
  for (const text of WELL) {
    for (let at = 0; at <= text.length; at += 1) {
      for (const sign of signs) {
        for (const changed of [text.slice(0, at) + sign + text.slice(at), text.slice(0, at) + sign + text.slice(at + 1), text.slice(0, at)])
          if (isJson(Buffer.from(changed)) !== parses(changed)) wrong.push(changed);
      }
    }
  }
  expect(wrong).toEqual([]);
});

it.each(['', ' ', '1 2', '{"a":1}}', '[1,]', '{"a"}', '01', '1.', '.5', '+1', 'NaN', 'tru', 'nul', "'a'", '"a', '\uFEFF1'])(
  'refuses invalid JSON: %j',
  (text) => {
    expect(isJson(Buffer.from(text))).toBe(false);
    expect(parses(text)).toBe(false);
  },
);

it('accepts invalid UTF-8 in a string, which becomes U+FFFD', () => {
  const bytes = Buffer.from([0x22, 0xff, 0xc3, 0x22]);
  expect(isJson(bytes)).toBe(true);
  expect(JSON.parse(bytes.toString('utf8'))).toBe('\uFFFD\uFFFD');
});

it("refuses values that are too deep, and accepts the depth of a child's results", () => {
  const nested = (depth: number): Buffer => Buffer.from(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
  expect(isJson(nested(501))).toBe(true);
  expect(isJson(nested(100_000))).toBe(false);
});
