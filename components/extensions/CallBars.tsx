import type { ExtensionOfHour } from '#lib/contract/last-hour.ts';

const HALF = 8;
const BAR = 4;
const GAP = 1;

/** The last hour from left to right, five minutes a bar: calls stand on the line, the failed among them hang below it. The numbers stand beside. */
export function CallBars({ calls }: { calls: ExtensionOfHour }) {
  const { interval_calls: all, interval_failures: failures } = calls;
  const most = Math.max(1, ...all);
  const width = all.length * (BAR + GAP) - GAP;
  const height = 2 * HALF + 1;
  const tallOf = (count: number): number => Math.max(2, Math.round((count / most) * HALF));
  const bars = (counts: readonly number[], from: number, way: string): string =>
    counts.map((count, at) => (count === 0 ? '' : `M${at * (BAR + GAP)} ${from}h${BAR}v${way}${tallOf(count)}h-${BAR}z`)).join('');
  return (
    <svg aria-hidden width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="block shrink-0">
      <rect y={HALF} width={width} height={1} className="fill-line-strong" />
      <path d={bars(all, HALF, '-')} className="fill-muted" />
      <path d={bars(failures, HALF + 1, '')} className="fill-failed" />
    </svg>
  );
}
