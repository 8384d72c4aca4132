import { describe, expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import type { Expectation } from '#lib/contract/saved-call.ts';
import { checkExpectation } from './check-expectation.ts';
import { callRecord } from '#lib/testing/api-records.ts';

const CALL = callRecord({
  id: 'c',
  tool: 't',
  extension: 'e',
  source: 'api',
  result: { city: 'Oslo', days: [{ rain: true }, { rain: false }], note: null },
  duration_ms: 1,
});
const FAILED: Call = { ...CALL, status: 'failed', result: null, error: { kind: 'not_found', message: 'No such city.' } };

const judge = (expectation: Expectation, call = CALL) => checkExpectation(call, expectation, () => Promise.resolve(null));

describe('the expectation of a call', () => {
  it.each<[string, Expectation]>([
    ['success, without other expectations', {}],
    ['a part of an object', { result_includes: { city: 'Oslo' } }],
    ['parts of the objects in a list', { result_includes: { days: [{}, { rain: false }] } }],
    ['a member that is null', { result_includes: { note: null } }],
  ])('passes with %s', async (_, expectation) => {
    expect(await judge(expectation)).toBeNull();
  });

  it.each<[Expectation, string]>([
    [{ status: 'failed' }, 'The call succeeded, but failed was expected.'],
    [{ result_includes: { city: 'Bergen' } }, 'result/city is "Oslo", not "Bergen".'],
    [{ result_includes: { days: [{ rain: true }] } }, 'result/days has 2 entries, not 1.'],
    [{ result_includes: { days: [{ rain: 1 }, { wind: 2 }] } }, 'result/days/0/rain is true, not 1; result/days/1/wind is missing.'],
    [
      { result_includes: { 'a/b': undefined, wind: 1, sun: 1, fog: 1 } },
      'result/a~1b is missing; result/wind is missing; result/sun is missing; and 1 more.',
    ],
    [{ result_includes: [] }, 'result is an object, not a list.'],
    [{ result_includes: { note: {} } }, 'result/note is null, not an object.'],
  ])('fails with %j, and states the reason', async (expectation, reason) => {
    expect(await judge(expectation)).toBe(reason);
  });

  it('ignores inherited properties of objects', async () => {
    expect(await judge({ result_includes: { toString: 'x' } })).toBe('result/toString is missing.');
  });

  it('passes an expected failure, and reports another one', async () => {
    expect(await judge({ status: 'failed', error_kind: 'not_found' }, FAILED)).toBeNull();
    expect(await judge({}, FAILED)).toBe('The call failed, but succeeded was expected: No such city.');
    expect(await judge({ status: 'failed', error_kind: 'timeout' }, FAILED)).toBe(
      'The error is not_found, but timeout was expected: No such city.',
    );
  });

  it.each<[string, Call, boolean]>([
    ['success', CALL, true],
    ['a refusal in words', { ...FAILED, error: { kind: 'execution_error', message: 'That is too many.' } }, true],
    ['a refusal of the arguments', { ...FAILED, error: { kind: 'invalid_parameters', message: 'Too many.' } }, true],
    ['a stack', { ...FAILED, error: { kind: 'execution_error', message: 'x\n    at run (file:///x/extension.js:3:7)' } }, false],
    ['a crash', { ...FAILED, error: { kind: 'extension_crashed', message: 'It ended.' } }, false],
    ['a hang', { ...FAILED, status: 'timed_out', error: { kind: 'timeout', message: 'It took too long.' } }, false],
  ])('accepts a refusal as an answer on request: %s', async (_, call, passes) => {
    expect((await judge({ status: 'succeeded', or_refused: true }, call)) === null).toBe(passes);
  });

  it('delegates the validation of the result against a schema', async () => {
    const asked: unknown[] = [];
    const reason = await checkExpectation(CALL, { result_schema: { type: 'string' } }, async (...request) => {
      asked.push(request);
      return { kind: 'schema_error', message: 'Invalid.', issues: [{ path: '/city', keyword: 'type', message: 'must be a number' }] };
    });
    expect(asked).toEqual([[{ type: 'string' }, JSON.stringify(CALL.result)]]);
    expect(reason).toBe('result/city must be a number.');
  });
});
