import { spanInWords } from '#components/ui/times.ts';
import type { GroupTrend } from '#lib/contract/failure-group.ts';

const HEIGHT = 20;
const BAR = 3;
const GAP = 1;

/** Nothing for a single interval: a lone bar says no more than the count beside it. */
export function Sparkline({ trend }: { trend: GroupTrend }) {
  if (trend.counts.filter((count) => count > 0).length < 2) return null;
  const max = Math.max(...trend.counts);
  const total = trend.counts.reduce((sum, count) => sum + count, 0);
  const width = trend.counts.length * (BAR + GAP);
  const words = `${total} in ${spanInWords(trend.span_ms * trend.counts.length)}`;
  return (
    <svg role="img" aria-label={words} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} className="shrink-0">
      <title>{words}</title>
      <path d={`M0 ${HEIGHT - 0.5}H${width}`} className="stroke-line" />
      {trend.counts.map((count, at) => {
        const height = count === 0 ? 0 : Math.max(3, Math.round((count / max) * (HEIGHT - 2)));
        const x = at * (BAR + GAP);
        return <rect key={x} x={x} y={HEIGHT - height} width={BAR} height={height} rx={0.5} className="fill-failed" />;
      })}
    </svg>
  );
}
