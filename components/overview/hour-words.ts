import type { HourCounts } from '#lib/contract/last-hour.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { minuteOf, UTC } from '#components/ui/times.ts';

/** Server and browser must request the same number. */
export const NEWEST_CALLS = 8;

type Filter = Readonly<Record<string, string | number | undefined>>;

export function callsAddress(filter: Filter): string {
  const set = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `${PAGES.calls}?${new URLSearchParams(set)}`;
}

/** Percentiles are exact to 5 %, so the bound is slightly lower. */
export function slowerThan(percentile: number): number {
  return Number((percentile * 0.95).toPrecision(3));
}

export function badOf(counts: Pick<HourCounts, 'failed' | 'timed_out'>): number {
  return counts.failed + counts.timed_out;
}

/** Shares above 0 never round to 0, shares below 1 never to 100. */
export function shareOf(counts: Pick<HourCounts, 'calls' | 'failed' | 'timed_out'>): string {
  const bad = badOf(counts);
  if (bad === 0 || counts.calls === 0) return '0';
  const share = (bad / counts.calls) * 100;
  if (bad < counts.calls && share > 99.9) return '> 99.9';
  if (share < 0.1) return '< 0.1';
  return share >= 10 ? String(Math.round(share)) : String(Number(share.toFixed(1)));
}

export function countInWords(count: number): string {
  return inThousands(count);
}

export function intervalInWords(
  interval: { since: string; until: string; calls: number; failed: number; timed_out: number },
  clock = UTC,
): string {
  const bad = badOf(interval);
  const calls = `${countInWords(interval.calls)} ${interval.calls === 1 ? 'call' : 'calls'}`;
  return `${minuteOf(interval.since, clock).slice(11, 16)} to ${minuteOf(interval.until, clock).slice(11)}: ${calls}${bad === 0 ? '' : `, ${countInWords(bad)} of them failed`}`;
}
