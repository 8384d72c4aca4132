import { describe, expect, it } from 'vitest';
import type { Expectation } from '#lib/contract/saved-call.ts';
import { NOTHING_EXPECTED, readExpectation, textsOf } from './SaveCallDialog.tsx';

describe('the expectation form', () => {
  it.each<Expectation | null>([
    null,
    { status: 'succeeded' },
    { status: 'failed', error_kind: 'not_found' },
    { status: 'succeeded', or_refused: true },
    { status: 'timed_out' },
    { status: 'succeeded', result_includes: { city: 'Oslo' }, result_schema: { required: ['city'] } },
    { status: 'succeeded', result_includes: null },
    { status: 'succeeded', result_includes: 'a text' },
  ])('reads back what it was filled with: %j', (expectation) => {
    expect(readExpectation(textsOf(expectation))).toEqual({ ok: true, expectation });
  });

  it('expects success if a result is set without a status', () => {
    expect(textsOf({ result_includes: 1 })).toEqual({ status: 'succeeded', errorKind: '', includes: '1', schema: '' });
  });

  it('omits fields that do not belong to the status', () => {
    const texts = { status: 'failed', errorKind: 'timeout', includes: '{', schema: '{' } as const;
    expect(readExpectation(texts)).toEqual({ ok: true, expectation: { status: 'failed', error_kind: 'timeout' } });
    expect(readExpectation({ ...texts, status: 'any' })).toEqual({ ok: true, expectation: null });
  });

  it('names the invalid field', () => {
    const texts = { ...NOTHING_EXPECTED, status: 'succeeded' } as const;
    expect(readExpectation({ ...texts, includes: '{city: 1}' })).toMatchObject({ ok: false, field: 'includes' });
    expect(readExpectation({ ...texts, schema: '[]' })).toMatchObject({ ok: false, field: 'schema' });
    expect(readExpectation({ ...texts, schema: 'null' })).toMatchObject({ ok: false, field: 'schema' });
  });
});
