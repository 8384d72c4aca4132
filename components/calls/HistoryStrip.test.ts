import { describe, expect, it } from 'vitest';
import type { CallStats } from '#lib/contract/call.ts';
import { barPath, bucketAt, countsInWords, fromFirstCall, heightsOf, intervalInWords, isDrag, scalesOf, spanOf } from './HistoryStrip.tsx';
import { shareInWords } from '#components/ui/numbers.ts';

const NONE = { calls: 0, failed: 0, p50_ms: null, p95_ms: null };
const START = Date.parse('2026-11-22T10:00:00.000Z');
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const STATS: CallStats = {
  since: at(0),
  until: at(4),
  bucket_ms: 60_000,
  buckets: [
    { at: at(0), calls: 10, failed: 5, p50_ms: 9, p95_ms: 99 },
    { at: at(1), ...NONE },
    { at: at(2), calls: 5, failed: 0, p50_ms: 99, p95_ms: 99 },
    { at: at(3), ...NONE },
  ],
  total: { calls: 15, failed: 5, p50_ms: 12.3, p95_ms: 220 },
  complete: true,
};

describe('calls over time', () => {
  it('are summarized as text', () => {
    expect(countsInWords(STATS.total)).toBe('15 calls, 33% failed, p50 12.3 ms, p95 220 ms');
    expect(countsInWords(NONE)).toBe('0 calls');
  });

  it.each([
    [0, 5, '0%'],
    [1, 5_000, '< 0.1%'],
    [1, 40, '2.5%'],
    [4_999, 5_000, '> 99.9%'],
    [5, 5, '100%'],
  ])('write %d of %d as %s', (part, whole, words) => {
    expect(shareInWords(part, whole)).toBe(words);
  });

  it.each([
    [1_000, '1 s'],
    [1_800_000, '30 min'],
    [43_200_000, '12 h'],
    [604_800_000, '7 d'],
    [1_234, '1.23 s'],
  ])('write an interval of %d ms as %s', (ms, words) => {
    expect(intervalInWords(ms)).toBe(words);
  });

  it('are selected by position, in either direction, up to the end of the last interval', () => {
    expect([-1, 0, 0.49, 0.99, 1, 2].map((place) => bucketAt(STATS, place))).toEqual([0, 0, 1, 3, 3, 3]);
    const span = { since: new Date(at(1)), until: new Date(at(3)) };
    expect(spanOf(STATS, 1, 2)).toEqual(span);
    expect(spanOf(STATS, 2, 1)).toEqual(span);
  });

  it('are scaled by the maximum of each kind', () => {
    expect(heightsOf(STATS)).toEqual({ calls: [1, 0, 0.5, 0], failed: [0.5, 0, 0, 0], p50: [0.5, 0, 1, 0], p95: [1, 0, 1, 0] });
    expect(scalesOf(STATS)).toEqual({ calls: '10 calls', slowest: '99.0 ms', halfway: '9.00 ms' });
    const untimed = { ...STATS, buckets: [{ at: at(0), ...NONE, calls: 1 }] };
    expect(scalesOf(untimed)).toEqual({ calls: '1 call', slowest: null, halfway: null });
    const nothing = { ...STATS, total: { ...NONE }, buckets: [{ at: at(0), ...NONE }] };
    expect(scalesOf(nothing)).toEqual({ calls: null, slowest: null, halfway: null });
  });

  it('begin shortly before the first call, with enough bars to read', () => {
    const bucketsOf = (counts: readonly number[]) => counts.map((calls, minute) => ({ at: at(minute), ...NONE, calls }));
    const empty = Array.from({ length: 30 }, () => 0);
    const late = { ...STATS, buckets: bucketsOf([...empty, 0, 5, 0]) };
    expect(fromFirstCall(late).buckets.map(({ calls }) => calls)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0]);
    expect(fromFirstCall(late).since).toBe(at(21));
    const early = { ...STATS, buckets: bucketsOf([0, 0, 0, 5, ...empty]) };
    expect(fromFirstCall(early)).toMatchObject({ since: at(1), buckets: { length: 33 } });
    const none = { ...STATS, buckets: bucketsOf(empty) };
    expect(fromFirstCall(none)).toBe(none);
    expect(fromFirstCall(STATS)).toBe(STATS);
  });

  it('are bars from the baseline, none for zero, with a visible minimum height', () => {
    expect(barPath(3, 44, 20)).toBe('M3.08 44v-20h.84v20z');
    expect(barPath(3, 44, 0.001)).toBe('M3.08 44v-1.5h.84v1.5z');
    expect(barPath(3, 44, 0)).toBe('');
  });

  it('are filtered by dragging, not by clicking', () => {
    expect(isDrag(100, 101)).toBe(false);
    expect(isDrag(100, 80)).toBe(true);
  });
});
