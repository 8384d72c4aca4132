import { expect, test } from 'vitest';
import { callFilterSchema, callRequestSchema } from '#lib/contract/call.ts';
import { revisionRequestSchema } from '#lib/contract/extension.ts';
import { commentRequestSchema, groupChangeSchema, groupFilterSchema } from '#lib/contract/failure-group.ts';
import { saveCallSchema } from '#lib/contract/saved-call.ts';
import { sourceWriteSchema } from '#lib/contract/source-file.ts';
import { makeTokenSchema } from '#lib/contract/token.ts';
import { parseBody, parseQuery } from './validation.ts';

test.each([
  [{}, '"revision" is missing; it must be a number.'],
  [{ revision: '1' }, '"revision" must be a number.'],
  [{ revision: 0 }, '"revision" must be more than 0.'],
  [[], 'The body must be an object.'],
  [null, 'The body must be an object.'],
  [{ revision: 1, 'a/b': 2 }, '"a/b" is not a field here (accepted: revision).'],
])('states the expected value for the body %j', (body, words) => {
  expect(parseBody(revisionRequestSchema, body)).toMatchObject({ ok: false, problem: { code: 'body_fields_invalid', detail: words } });
});

test('describes the expected value of an empty field, and of one with several types', () => {
  const wordsOf = (schema: Parameters<typeof parseBody>[0], body: unknown): string => {
    const parsed = parseBody(schema, body);
    return parsed.ok ? 'accepted' : parsed.problem.detail;
  };
  expect(wordsOf(commentRequestSchema, { text: ' ' })).toBe('"text" must not be empty.');
  expect(wordsOf(groupChangeSchema, { ignore_until: 5 })).toBe(
    '"ignore_until" is invalid: a time, "changed" or null (permanently) is accepted.',
  );
});

test.each([
  [{ text: '' }, '"expected_hash" is missing; it must be a text or null.'],
  [{ text: '', expected_hash: 1 }, '"expected_hash" must be a text or null.'],
  [{ text: null, expected_hash: null }, '"text" must be a text.'],
])('states that null is accepted too for the body %j', (body, words) => {
  expect(parseBody(sourceWriteSchema, body)).toMatchObject({ ok: false, problem: { detail: words } });
});

test.each([
  [{ name: ' ', role: 'viewer' }, '"name" must not be empty.'],
  [{ name: 'a\nb', role: 'viewer' }, '"name" is invalid: one line without control characters is accepted.'],
])('states the expected value for the name in %j', (body, words) => {
  expect(parseBody(makeTokenSchema, body)).toMatchObject({ ok: false, problem: { detail: words } });
});

test.each([
  ['limit=x', '"limit" must be a number.'],
  ['limit=201', '"limit" must be at most 200.'],
  ['status=done', '"status" must be one of running, succeeded, failed, timed_out, cancelled.'],
  [`q=${'x'.repeat(501)}`, '"q" must be at most 500 characters long.'],
  ['status=failed,done', '"status" must be one of running, succeeded, failed, timed_out, cancelled.'],
  ['since=yesterday', '"since" must be a time, such as 2026-01-31T12:00:00Z.'],
  ['since=2026-02-31', '"since" must be a time, such as 2026-01-31T12:00:00Z.'],
  ['tool=a&tool=b', 'The query parameter "tool" is given twice. Give it once.'],
  ['__proto__=1', '"__proto__" is not a field here'],
])('states the expected value for the query %s', (query, words) => {
  expect(parseQuery(callFilterSchema, new URLSearchParams(query))).toMatchObject({
    ok: false,
    problem: { code: 'query_invalid', detail: expect.stringContaining(words) },
  });
});

test('accepts one status and several', () => {
  const read = (query: string) => parseQuery(callFilterSchema, new URLSearchParams(query));
  expect(read('status=failed')).toMatchObject({ ok: true, value: { status: ['failed'] } });
  expect(read('status=failed,timed_out')).toMatchObject({ ok: true, value: { status: ['failed', 'timed_out'] } });
});

test('ignores an empty query parameter unless empty has a meaning, and still refuses unknown parameters', () => {
  const query = new URLSearchParams('tool=&extension=&status=&source=&actor=&q=&since=&until=&cursor=&limit=');
  expect(parseQuery(callFilterSchema, query)).toEqual({ ok: true, value: { limit: 50 } });
  expect(parseQuery(callFilterSchema, new URLSearchParams('colour='))).toMatchObject({ ok: false });
  expect(parseQuery(groupFilterSchema, new URLSearchParams('assignee=&status='), ['assignee'])).toMatchObject({
    value: { assignee: '' },
  });
});

test.each([
  ['2026-01-31T12:00:00', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00.123456', '2026-01-31T12:00:00.123456Z'],
  ['2026-01-31', '2026-01-31T00:00:00Z'],
  ['2026-01-31 12:00', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00+02:00', '2026-01-31T12:00:00+02:00'],
  ['2026-01-31 12:00:30+02:00', '2026-01-31T12:00:30+02:00'],
  ['2026-01-31T12:00:00+02:00', '2026-01-31T12:00:00+02:00'],
])('reads the time %s as %s, also when its plus is not encoded', (given, taken) => {
  expect(parseQuery(callFilterSchema, new URLSearchParams(`since=${given}`))).toMatchObject({ value: { since: taken } });
  expect(parseQuery(callFilterSchema, new URLSearchParams({ since: given }))).toMatchObject({ value: { since: taken } });
});

test('names every invalid field with its path', () => {
  const parsed = parseBody(callRequestSchema, { arguments: 1, timeout_ms: 0, 'x~y': 1 });
  expect(parsed).toMatchObject({ problem: { extra: { issues: [{ path: '/arguments' }, { path: '/timeout_ms' }, { path: '/x~0y' }] } } });
});

test('names the accepted fields beside an unknown one', () => {
  const parsed = parseBody(saveCallSchema, { tool: 'a', name: 'b', expectation: { result: 1 } });
  expect(parsed).toMatchObject({
    problem: { detail: '"result" is not a field here (accepted: status, error_kind, or_refused, result_includes, result_schema).' },
  });
});
