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
])('says where %s stops being JSON', (text, position) => {
  const parsed = parseJsonBody(Buffer.from(text));
  expect(parsed.ok ? '' : parsed.problem.detail).toContain(position);
});

test('does not repeat the body in its message', () => {
  const parsed = parseJsonBody(Buffer.from('{"password": hunter2}'));
  expect(parsed.ok ? '' : JSON.stringify(parsed.problem)).not.toContain('hunter2');
});

test('keeps what is JSON as it is', () => {
  expect(parseJsonBody(Buffer.from('{"a":[1,"é",null,{"constructor":1}]}'))).toEqual({
    ok: true,
    value: { a: [1, 'é', null, { constructor: 1 }] },
  });
});
