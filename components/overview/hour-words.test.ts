import { expect, it } from 'vitest';
import { callsAddress, intervalInWords, slowerThan } from './hour-words.ts';

it('links to the list of calls with only the set filters', () => {
  expect(callsAddress({ tool: 'get weather', status: 'failed', until: undefined, min_ms: 12.5 })).toBe(
    '/calls?tool=get+weather&status=failed&min_ms=12.5',
  );
});

it('filters slightly below a percentile, so that its calls are in the list', () => {
  expect(slowerThan(100)).toBe(95);
  expect(slowerThan(1.23)).toBe(1.17);
});

it('describes an interval with its calls and failures', () => {
  const time = { since: '2026-11-21T12:05:00.000Z', until: '2026-11-21T12:10:00.000Z' };
  expect(intervalInWords({ ...time, calls: 1, failed: 0, timed_out: 0 })).toBe('12:05 to 12:10 UTC: 1 call');
  expect(intervalInWords({ ...time, calls: 1_204, failed: 2, timed_out: 1 })).toBe('12:05 to 12:10 UTC: 1,204 calls, 3 of them failed');
});
