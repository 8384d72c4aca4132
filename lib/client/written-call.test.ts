import { expect, test } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { callBody } from './written-call.ts';

test('sends the arguments as written', () => {
  expect(callBody('{\n  "a": 1.0\n}', null)).toBe('{"arguments":{\n  "a": 1.0\n}}');
  expect(callBody('{}', 1_500)).toBe('{"arguments":{},"timeout_ms":1500}');
});

test('removes whitespace that would exceed the size limit', () => {
  const list = Array.from({ length: 100_000 }, (_, at) => at % 10);
  const written = JSON.stringify({ list }, null, 8);
  expect(written.length).toBeGreaterThan(LIMITS.bodyBytes);
  expect(callBody(written, null)).toBe(JSON.stringify({ arguments: { list } }));
});
