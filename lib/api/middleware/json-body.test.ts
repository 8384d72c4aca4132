import { expect, test } from 'vitest';
import { parseJsonBody } from './json-body.ts';

test.each([
  ['{a', 'line 1, column 2'],
  ['abc', 'line 1, column 1'],
  ['{"a":tru}', 'line 1, column 9'],
  ['{\n  "a": 1,\n}', 'line 3, column 1'],
  ['{"a":1}\nx', 'line 2, column 1'],
  ['[1,\n2', 'line 2, column 2'],
  [`{"${'a'.repeat(90)}":x, "b": 1}`, 'line 1, column 95'],
])('reports the position of the JSON error in %s', (text, position) => {
  const parsed = parseJsonBody(Buffer.from(text));
  expect(parsed.ok ? '' : parsed.problem.detail).toContain(position);
});

test.each(['['.repeat(65), `{"a":"[\\"[","b":${'[{"c":'.repeat(32)}`, `[${'{"a":'.repeat(64)}1${'}'.repeat(64)}]`])(
  'reports that %s is too deep, regardless of the rest',
  (text) => {
    expect(parseJsonBody(Buffer.from(text))).toMatchObject({ ok: false, problem: { code: 'body_too_deep' } });
  },
);

test('counts neither siblings nor brackets in strings as depth', () => {
  const wide = [...Array.from({ length: 100 }, () => [{}]), '['.repeat(100), `"${'{'.repeat(100)}\\`];
  expect(parseJsonBody(Buffer.from(JSON.stringify(wide)))).toEqual({ ok: true, value: wide });
  expect(parseJsonBody(Buffer.from('['.repeat(64) + ']'.repeat(64)))).toMatchObject({ ok: true });
});

test('does not repeat the body in its message', () => {
  const parsed = parseJsonBody(Buffer.from('{"password": hunter2}'));
  expect(parsed.ok ? '' : JSON.stringify(parsed.problem)).not.toContain('hunter2');
});

test('keeps valid JSON unchanged', () => {
  expect(parseJsonBody(Buffer.from('{"a":[1,"é",null,{"constructor":1}]}'))).toEqual({
    ok: true,
    value: { a: [1, 'é', null, { constructor: 1 }] },
  });
});
