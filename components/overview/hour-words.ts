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

export function intervalInWords(
  interval: { since: string; until: string; calls: number; failed: number; timed_out: number },
  clock = UTC,
): string {
  const bad = badOf(interval);
  const calls = `${inThousands(interval.calls)} ${interval.calls === 1 ? 'call' : 'calls'}`;
  return `${minuteOf(interval.since, clock).slice(11, 16)} to ${minuteOf(interval.until, clock).slice(11)}: ${calls}${bad === 0 ? '' : `, ${inThousands(bad)} of them failed`}`;
}
