import { expect, test } from 'vitest';
import { PAGE_RESULT_BYTES, previewOf } from './call-preview.ts';
import { callRecord } from '#lib/testing/api-records.ts';

const CALL = callRecord({
  id: '01',
  tool: 'show',
  extension: 'show',
  arguments: { kind: 'large' },
  started_at: '2026-11-22T09:00:00.000Z',
  finished_at: '2026-11-22T09:00:01.000Z',
});

test('a call with up to 128 KiB of result is sent with the page', () => {
  expect(previewOf(CALL)).toBeNull();
  expect(previewOf({ ...CALL, result: 'x'.repeat(PAGE_RESULT_BYTES) })).toBeNull();
});

test('a larger result is replaced by its size', () => {
  const result = ['ø'.repeat(PAGE_RESULT_BYTES / 2)];
  expect(previewOf({ ...CALL, result })).toEqual({
    call: { ...CALL, result: null, truncated: true },
    resultBytes: PAGE_RESULT_BYTES + 4,
  });
});
