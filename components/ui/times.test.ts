import { describe, expect, it } from 'vitest';
import { clockOf, durationInWords, exactByBoth, exactTime, minuteOf, relativeInWords, spanInWords, timeOfDay, UTC } from './times.ts';

describe('durationInWords', () => {
  it.each([
    [0, '0 ms'],
    [0.4213, '0.42 ms'],
    [12.34, '12.3 ms'],
    [999, '999 ms'],
    [999.7, '1.00 s'],
    [1_234, '1.23 s'],
    [54_321, '54.3 s'],
    [125_000, '2 min 05 s'],
    [3_599_600, '1 h 00 min'],
    [7_260_000, '2 h 01 min'],
  ])('writes %d ms as %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words);
  });

  it('writes a dash for an invalid duration', () => {
    expect(durationInWords(Number.NaN)).toBe('–');
    expect(durationInWords(-1)).toBe('–');
  });
});

describe('relativeInWords', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');

  it.each([
    [now, 'just now'],
    [now - 8_400, '8 s ago'],
    [now - 61_000, '1 min ago'],
    [now - 2 * 3_600_000, '2 h ago'],
    [now - 49 * 3_600_000, '2 d ago'],
    [now + 8_000, 'in 8 s'],
    [now + 34.6 * 60_000, 'in 35 min'],
    [now + 59.8 * 60_000, 'in 1 h'],
    [now + 23.7 * 3_600_000, 'in 1 d'],
    [now + 90 * 86_400_000 - 1_500, 'in 90 d'],
    [now + 400, 'just now'],
  ])('writes %d as %s', (time, words) => {
    expect(relativeInWords(time, now)).toBe(words);
  });

  it('shows a negative age as now, since a clock may be ahead', () => {
    expect(spanInWords(-5_000)).toBe('now');
  });
});

const OSLO = clockOf('Europe/Oslo');

describe('the exact time', () => {
  const time = '2026-11-21T22:49:05.120Z';

  it.each([
    [exactTime, '2026-11-21 22:49:05.120 UTC', '2026-11-21 23:49:05.120 UTC+01:00'],
    [minuteOf, '2026-11-21 22:49 UTC', '2026-11-21 23:49 UTC+01:00'],
    [timeOfDay, '22:49:05.120 UTC', '23:49:05.120 UTC+01:00'],
  ])('names its zone, which is UTC by default', (write, inUtc, inOslo) => {
    expect(write(time)).toBe(inUtc);
    expect(write(time, OSLO)).toBe(inOslo);
  });

  it('is shown in both zones in a title, with the date if it differs', () => {
    expect(exactByBoth(time, UTC, OSLO)).toBe('2026-11-21 22:49:05.120 UTC, 23:49:05.120 UTC+01:00');
    expect(exactByBoth(time, OSLO, UTC)).toBe('2026-11-21 23:49:05.120 UTC+01:00, 22:49:05.120 UTC');
    expect(exactByBoth(time, UTC, clockOf('Asia/Kolkata'))).toBe('2026-11-21 22:49:05.120 UTC, 2026-11-22 04:19:05.120 UTC+05:30');
    expect(exactByBoth(time, UTC, clockOf('Etc/UTC'))).toBe('2026-11-21 22:49:05.120 UTC');
  });

  it('shows an invalid time unchanged', () => {
    for (const write of [exactTime, minuteOf, timeOfDay]) expect(write('soon', OSLO)).toBe('soon');
    expect(exactByBoth('soon', UTC, OSLO)).toBe('soon');
  });
});

describe('the offset of a zone', () => {
  it.each([
    ['Europe/Oslo', '2026-07-01T12:00:00Z', 120],
    ['Europe/Oslo', '2026-10-25T00:59:59Z', 120],
    ['Europe/Oslo', '2026-10-25T01:00:00Z', 60],
    ['America/St_Johns', '2026-01-01T12:00:00Z', -210],
    ['Asia/Kathmandu', '2026-01-01T12:00:00Z', 345],
    ['UTC', '2026-01-01T12:00:00Z', 0],
  ])('follows daylight saving time: %s, %s', (zone, time, ahead) => {
    expect(clockOf(zone)(new Date(time))).toBe(ahead);
  });
});
