import { describe, expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { comparedParts, differenceInMs, logText, outcomeText } from './compare-texts.ts';

const call: Call = {
  id: 'a',
  tool: 'get_weather',
  extension: 'weather',
  revision: 1,
  snapshot_version: 1,
  source: 'web',
  actor: null,
  arguments: {},
  redacted: [],
  status: 'succeeded',
  result: { days: 2 },
  error: null,
  logs: [],
  logs_truncated: false,
  progress: null,
  started_at: '2026-03-01T12:00:00.000Z',
  finished_at: '2026-03-01T12:00:00.010Z',
  duration_ms: 10,
  replay_of: null,
};

describe('what two calls are compared by', () => {
  it('is the result as JSON, or as it reads when it is text of several lines', () => {
    expect(outcomeText(call)).toBe('{\n  "days": 2\n}');
    expect(outcomeText({ ...call, result: 'one\ntwo' })).toBe('one\ntwo');
    expect(outcomeText({ ...call, result: 'one' })).toBe('"one"');
  });

  it('is the error of one that failed', () => {
    expect(outcomeText({ ...call, status: 'failed', error: { kind: 'timeout', message: 'too slow' } })).toContain('"message": "too slow"');
  });

  it('is the log without its times', () => {
    const time = '2026-03-01T12:00:00.000Z';
    const logs = [
      { time, level: 'info' as const, message: 'asking', data: { city: 'Oslo' } },
      { time, level: 'error' as const, message: 'refused', data: null },
    ];
    expect(logText({ ...call, logs })).toBe('info  asking {"city":"Oslo"}\nerror refused');
  });

  it('says what is missing: an end that has not come, lines that were dropped, secrets that were not kept', () => {
    const missing = (before: Call, after: Call) => comparedParts(before, after).map((part) => [part.isOpen, part.missing.join(' ')]);
    expect(missing(call, call)).toEqual([
      [false, ''],
      [false, ''],
      [false, ''],
    ]);
    const running = { ...call, status: 'running' as const, result: null };
    expect(missing(call, running)[1]).toEqual([true, expect.stringContaining('The second call still runs.')]);
    expect(missing({ ...call, logs_truncated: true }, call)[2]).toEqual([false, 'Of the first call only the newest lines are kept.']);
    expect(missing(call, { ...call, redacted: ['/key'] })[0]?.[1]).toContain('not compared');
  });

  it('is the difference of their durations, where both are known', () => {
    expect(differenceInMs(10.2, 7)).toBe(-3.2);
    expect(differenceInMs(null, 7)).toBeNull();
  });
});
