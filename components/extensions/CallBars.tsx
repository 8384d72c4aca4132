import type { ExtensionOfHour } from '#lib/contract/last-hour.ts';

const HALF = 8;
const BAR = 5;

/**
 * The last hour from left to right, five minutes a bar: calls stand on the line, the failed among them hang below it. The numbers stand
 * beside.
 */
export function CallBars({ calls: { interval_calls: all, interval_failures: failures } }: { calls: ExtensionOfHour }) {
  const most = Math.max(1, ...all);
  const heightOf = (count: number) => Math.max(2, Math.round((count / most) * HALF));
  const bars = (counts: readonly number[], foot: number, up: number) =>
    counts.map((count, at) => (count === 0 ? '' : `M${at * BAR} ${foot}h${BAR - 1}v${up * heightOf(count)}h${1 - BAR}z`)).join('');
  return (
    <svg aria-hidden width={all.length * BAR} height={2 * HALF + 1} className="block">
      <path d={`M0 ${HALF}h${all.length * BAR - 1}v1H0z`} className="fill-line-strong" />
      <path d={bars(all, HALF, -1)} className="fill-muted" />
      <path d={bars(failures, HALF + 1, 1)} className="fill-failed" />
    </svg>
  );
}
