import { durationInWords } from '#components/ui/times.ts';
import type { CallStats } from '#lib/contract/call.ts';
import { inThousands } from '#components/ui/in-thousands.ts';

type Counts = CallStats['total'];

/** `1,204 calls, 3.2% failed, half within 12.3 ms, 95% within 220 ms` */
export function countsInWords({ calls, failed, p50_ms: half, p95_ms: most }: Counts): string {
  const parts = [`${inThousands(calls)} ${calls === 1 ? 'call' : 'calls'}`];
  if (calls > 0) parts.push(`${shareInWords(failed, calls)} failed`);
  if (half !== null) parts.push(`half within ${durationInWords(half)}`);
  if (most !== null) parts.push(`95% within ${durationInWords(most)}`);
  return parts.join(', ');
}

/** A part that is there is never shown as 0%, and one that misses some never as 100%. */
export function shareInWords(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0%';
  const share = (part / whole) * 100;
  if (part < whole && share > 99.9) return '> 99.9%';
  return share < 0.1 ? '< 0.1%' : `${share >= 10 ? Math.round(share) : Number(share.toFixed(1))}%`;
}

/** The interval at this place of the strip, 0 to 1 from left to right. */
export function bucketAt(stats: CallStats, place: number): number {
  return Math.min(stats.buckets.length - 1, Math.max(0, Math.floor(place * stats.buckets.length)));
}

/** From the beginning of one interval to the end of another, whichever comes first. */
export function spanOf(stats: CallStats, from: number, to: number): { readonly since: Date; readonly until: Date } {
  const start = Date.parse(stats.since);
  return {
    since: new Date(start + Math.min(from, to) * stats.bucket_ms),
    until: new Date(start + (Math.max(from, to) + 1) * stats.bucket_ms),
  };
}

/** A press that hardly moves is none: who only points at a bar narrows nothing. */
const DRAG_LEAST_PX = 4;

export function isDrag(from: number, to: number): boolean {
  return Math.abs(to - from) >= DRAG_LEAST_PX;
}

/** What the highest bars stand for, and a latency of half the height; null where no call has ended. */
export function scalesOf(stats: CallStats): {
  readonly calls: string | null;
  readonly slowest: string | null;
  readonly halfway: string | null;
} {
  const { calls, slowestMs } = mostOf(stats);
  const isTimed = stats.buckets.some((bucket) => bucket.p95_ms !== null);
  return {
    calls: stats.total.calls === 0 ? null : `${inThousands(calls)} ${calls === 1 ? 'call' : 'calls'}`,
    slowest: isTimed ? durationInWords(slowestMs) : null,
    halfway: isTimed ? durationInWords(Math.expm1(Math.log1p(slowestMs) / 2)) : null,
  };
}

function mostOf(stats: CallStats): { readonly calls: number; readonly slowestMs: number } {
  return {
    calls: Math.max(1, ...stats.buckets.map((bucket) => bucket.calls)),
    slowestMs: Math.max(1, ...stats.buckets.map((bucket) => bucket.p95_ms ?? 0)),
  };
}

type Heights = Record<'calls' | 'failed' | 'p50' | 'p95', readonly number[]>;

/** Heights from 0 to 1, interval by interval; latencies by their logarithm, since they span many powers of ten. */
export function heightsOf(stats: CallStats): Heights {
  const { buckets } = stats;
  const { calls: most, slowestMs: slowest } = mostOf(stats);
  const log = (ms: number | null) => (ms === null ? 0 : Math.log1p(ms) / Math.log1p(slowest));
  return {
    calls: buckets.map((bucket) => bucket.calls / most),
    failed: buckets.map((bucket) => bucket.failed / most),
    p50: buckets.map((bucket) => log(bucket.p50_ms)),
    p95: buckets.map((bucket) => log(bucket.p95_ms)),
  };
}

/** What is there is never too low to be seen. */
const LEAST_HEIGHT = 1.5;

/** One bar of the width of an interval that stands on `foot`; none where there is nothing to show. */
export function barPath(at: number, foot: number, height: number): string {
  if (height === 0) return '';
  const shown = Number(Math.max(LEAST_HEIGHT, height).toFixed(2));
  return `M${at + 0.08} ${foot}v-${shown}h.84v${shown}z`;
}

const UNITS = [
  { ms: 86_400_000, word: 'd' },
  { ms: 3_600_000, word: 'h' },
  { ms: 60_000, word: 'min' },
  { ms: 1_000, word: 's' },
] as const;

/** The length of an interval, which is a round one: `30 min`. */
export function intervalInWords(ms: number): string {
  const unit = UNITS.find((each) => ms >= each.ms && ms % each.ms === 0);
  return unit === undefined ? durationInWords(ms) : `${ms / unit.ms} ${unit.word}`;
}
