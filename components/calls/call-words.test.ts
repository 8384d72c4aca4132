import { describe, expect, it } from 'vitest';
import { CALL_ERROR_KINDS } from '#lib/contract/call.ts';
import { callRecord } from '#lib/testing/api-records.ts';
import { isFiltered, listFilterOf, newerThan, showsFailed, toggledStatuses } from './call-filter.ts';
import { argumentsInLine, ERROR_WORDS, errorWords, furtherData, offsetInWords, PAGE_RESULT_BYTES, previewOf } from './call-words.ts';

const NONE = {
  q: null,
  status: null,
  source: null,
  tool: null,
  extension: null,
  actor: null,
  replay_of: null,
  error_kind: null,
  revision: null,
  min_ms: null,
  max_ms: null,
  since: null,
  until: null,
  instance: null,
};

describe('the text of a call', () => {
  it('shows the arguments in one line', () => {
    expect(argumentsInLine({ arguments: { city: 'Paris', days: 3, deep: { a: [1] } } })).toBe('city: "Paris", days: 3, deep: {"a":[1]}');
    expect(argumentsInLine({ arguments: {} })).toBe('');
    expect(argumentsInLine({ arguments: '{"city": "Par', truncated: true })).toBe('{"city": "Par');
    expect(argumentsInLine({ arguments: { 'a\u202e': '\u202eb' } })).toBe('a\\u202e: "\\u202eb"');
    expect(argumentsInLine({ arguments: '{"city": "\u202eP', truncated: true })).toBe('{"city": "\\u202eP');
    expect(argumentsInLine({ arguments: { long: 'x'.repeat(1_000) } }).length).toBeLessThan(310);
  });

  it('shows the offset of a log line', () => {
    expect(offsetInWords(420)).toBe('+0.42 s');
    expect(offsetInWords(-3)).toBe('+0.00 s');
    expect(offsetInWords(12_340)).toBe('+12.3 s');
    expect(offsetInWords(65_000)).toBe('+1:05 min');
  });

  it('has a label for every kind of error', () => {
    for (const kind of CALL_ERROR_KINDS) expect(ERROR_WORDS[kind].word).not.toBe('');
  });

  it.each([
    ['server_stopped', 'The server stopped during the call'],
    ['memory_limit', 'The extension ran out of memory'],
    ['unresponsive', 'The extension was unresponsive'],
    ['exit', 'The extension crashed'],
    ['constructor', 'The extension crashed'],
    [undefined, 'The extension crashed'],
  ])('names the reason of a crash: %s', (reason, word) => {
    expect(errorWords({ kind: 'extension_crashed', data: { reason } }).word).toBe(word);
    expect(errorWords({ kind: 'execution_error', data: { reason } }).word).toBe('The tool failed');
  });

  it('shows only error data that is not shown elsewhere', () => {
    expect(furtherData({ kind: 'extension_crashed', data: { reason: 'server_stopped' } })).toBeNull();
    const further = { reason: 'exit', exit_code: 3 };
    expect(furtherData({ kind: 'extension_crashed', data: further })).toBe(further);
    expect(furtherData({ kind: 'execution_error', data: { reason: 'server_stopped' } })).not.toBeNull();
    expect(furtherData({ kind: 'execution_error' })).toBeNull();
  });
});

describe('the filter of calls', () => {
  it('sends only the set filters', () => {
    expect(isFiltered(NONE)).toBe(false);
    const values = { ...NONE, q: ' rome ', status: ['failed' as const], since: new Date('2026-01-31T09:30:00Z') };
    expect(JSON.parse(JSON.stringify(listFilterOf(values)))).toEqual({ q: 'rome', status: ['failed'], since: '2026-01-31T09:30:00.000Z' });
    expect(isFiltered(values)).toBe(true);
  });

  it('accepts several statuses, and selects all failed ones with one press', () => {
    expect(toggledStatuses(null, 'failed')).toEqual(['failed']);
    expect(toggledStatuses(['failed'], 'running')).toEqual(['running', 'failed']);
    expect(toggledStatuses(['failed'], 'failed')).toBeNull();
    const failed = toggledStatuses(['running'], 'any_failure');
    expect(failed).toEqual(['failed', 'timed_out']);
    expect(showsFailed({ status: failed })).toBe(true);
    expect(toggledStatuses(failed, 'any_failure')).toBeNull();
  });

  it('counts new rows since the last visit', () => {
    expect(newerThan(['c', 'b', 'a'], 'a')).toBe(2);
    expect(newerThan(['c', 'b'], 'a')).toBe(0);
    expect(newerThan(['c'], null)).toBe(0);
  });
});

const CALL = callRecord({
  id: '01',
  tool: 'show',
  extension: 'show',
  arguments: { kind: 'large' },
  started_at: '2026-11-22T09:00:00.000Z',
  finished_at: '2026-11-22T09:00:01.000Z',
});

it('a call with up to 128 KiB of result is sent with the page', () => {
  expect(previewOf(CALL)).toBeNull();
  expect(previewOf({ ...CALL, result: 'x'.repeat(PAGE_RESULT_BYTES) })).toBeNull();
});

it('a larger result is replaced by its size', () => {
  const result = ['ø'.repeat(PAGE_RESULT_BYTES / 2)];
  expect(previewOf({ ...CALL, result })).toEqual({
    call: { ...CALL, result: null, truncated: true },
    resultBytes: PAGE_RESULT_BYTES + 4,
  });
});
