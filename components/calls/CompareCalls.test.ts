import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { comparableText, comparedParts, differenceInMs, logText, outcomeText } from './CompareCalls.tsx';
import { callRecord } from '#lib/testing/api-records.ts';

const call = callRecord({
  id: 'a',
  result: { days: 2 },
  started_at: '2026-03-01T12:00:00.000Z',
  finished_at: '2026-03-01T12:00:00.010Z',
  duration_ms: 10,
});

describe('the comparison of two calls', () => {
  it('uses the result as JSON, or as plain text if it has several lines', () => {
    expect(outcomeText(call)).toBe('{\n  "days": 2\n}');
    expect(outcomeText({ ...call, result: 'one\ntwo' })).toBe('one\ntwo');
    expect(outcomeText({ ...call, result: 'one' })).toBe('"one"');
  });

  it('uses the error of a failed call', () => {
    expect(outcomeText({ ...call, status: 'failed', error: { kind: 'timeout', message: 'too slow' } })).toContain('"message": "too slow"');
  });

  it('uses the log without timestamps', () => {
    const time = '2026-03-01T12:00:00.000Z';
    const logs = [
      { time, level: 'info' as const, message: 'asking', data: { city: 'Oslo' } },
      { time, level: 'error' as const, message: 'refused', data: null },
    ];
    expect(logText({ ...call, logs })).toBe('info  asking {"city":"Oslo"}\nerror refused');
  });

  it('names missing parts: a running call, dropped lines, secrets', () => {
    const missing = (before: Call, after: Call) => comparedParts(before, after).map((part) => [part.isOpen, part.missing.join(' ')]);
    expect(missing(call, call)).toEqual([
      [false, ''],
      [false, ''],
      [false, ''],
    ]);
    const running = { ...call, status: 'running' as const, result: null };
    expect(missing(call, running)[1]).toEqual([true, expect.stringContaining('The second call is still running.')]);
    expect(missing({ ...call, logs_truncated: true }, call)[2]).toEqual([false, 'Only the newest log lines of the first call are stored.']);
    expect(missing(call, { ...call, redacted: ['/key'] })[0]?.[1]).toContain('not compared');
  });

  it('includes the difference of the durations if both are known', () => {
    expect(differenceInMs(10.2, 7)).toBe(-3.2);
    expect(differenceInMs(null, 7)).toBeNull();
  });
});

describe('the comparable text of a value', () => {
  it('has sorted keys and no trailing commas', () => {
    expect(comparableText({ b: [1, {}], a: null })).toBe('{\n  "a": null\n  "b": [\n    1\n    {}\n  ]\n}');
    expect(comparableText({ y: { d: 1, c: 2 }, x: 1 })).toBe(comparableText({ x: 1, y: { c: 2, d: 1 } }));
  });

  it('expands JSON in a string, as from MCP servers, and labels it', () => {
    const answer = { content: [{ type: 'text', text: '{"days":2,"city":"Oslo"}' }] };
    expect(comparableText(answer)).toContain('"text": JSON in a text: {\n        "city": "Oslo"\n        "days": 2\n      }');
    expect(comparableText('{"a":1}')).not.toBe(comparableText({ a: 1 }));
  });

  it('does not expand JSON in a string if its numbers would be rounded', () => {
    expect(comparableText(['[12345678901234567890]'])).not.toBe(comparableText(['[12345678901234567891]']));
  });

  it('splits text of several lines', () => {
    expect(comparableText('one\ntwo')).toBe('one\ntwo');
    expect(comparableText({ note: 'one\ntwo' })).toBe('{\n  "note": text of 2 lines:\n    | one\n    | two\n}');
  });

  it('is equal only for equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), (one, other) => {
        const [a, b] = [one, other].map((value): unknown => JSON.parse(JSON.stringify(value)));
        expect(comparableText({ a }) === comparableText({ a: b })).toBe(sorted(a) === sorted(b));
      }),
    );
  });
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
