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
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, Math.round((count / most) * HALF)));
  return (
    <svg aria-hidden width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="block shrink-0">
      <rect y={HALF} width={width} height={1} className="fill-line-strong" />
      {all.map((count, at) => {
        const [up, down] = [heightOf(count), heightOf(failures[at] ?? 0)];
        const x = at * (BAR + GAP);
        return (
          <g key={x}>
            {up === 0 ? null : <rect x={x} y={HALF - up} width={BAR} height={up} className="fill-muted" />}
            {down === 0 ? null : <rect x={x} y={HALF + 1} width={BAR} height={down} className="fill-failed" />}
          </g>
        );
      })}
    </svg>
  );
}
