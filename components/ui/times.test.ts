import { describe, expect, it } from 'vitest';
import { durationInWords, exactHere, exactUtc, relativeInWords, spanInWords, timeOfDay } from './times.ts';

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

  it('writes a dash for what is no length of time', () => {
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
  ])('says %d as %s', (time, words) => {
    expect(relativeInWords(time, now)).toBe(words);
  });

  it('says a clock that runs ahead as now, never as a negative age', () => {
    expect(spanInWords(-5_000)).toBe('now');
  });
});

it('writes the time of day to the millisecond, and shows what is not a time as it is', () => {
  expect(timeOfDay('2026-11-21T22:49:05.120Z')).toBe('22:49:05.120 UTC');
  expect(timeOfDay('soon')).toBe('soon');
});

describe('exactUtc', () => {
  it('is the same wherever it is written', () => {
    expect(exactUtc('2026-11-21T22:49:05.120Z')).toBe('2026-11-21 22:49:05.120 UTC');
  });

  it('shows what is not a time as it is', () => {
    expect(exactUtc('soon')).toBe('soon');
  });
});

describe('exactHere', () => {
  it('adds the time of the reader with its offset, and the day where it is another one', () => {
    expect(exactHere('2026-11-21T20:49:05.120Z', -60)).toBe('2026-11-21 20:49:05.120 UTC, 21:49:05.120 here (UTC+01:00)');
    expect(exactHere('2026-11-21T20:49:05.120Z', -330)).toBe('2026-11-21 20:49:05.120 UTC, 2026-11-22 02:19:05.120 here (UTC+05:30)');
    expect(exactHere('2026-11-21T20:49:05.120Z', 210)).toBe('2026-11-21 20:49:05.120 UTC, 17:19:05.120 here (UTC-03:30)');
  });

  it('says UTC once where the reader is in it, and leaves alone what is no time', () => {
    expect(exactHere('2026-11-21T20:49:05.120Z', 0)).toBe('2026-11-21 20:49:05.120 UTC');
    expect(exactHere('soon', -60)).toBe('soon');
  });
});
