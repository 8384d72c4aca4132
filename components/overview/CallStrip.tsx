'use client';

import { durationInWords } from '#components/ui/times.ts';
import type { Call } from '#lib/contract/call.ts';
import { isBad } from './call-figures.ts';

const HEIGHT = 40;
const BAR = 6;
const SLOW_MS = 60_000;

/** One bar a call, oldest at the left: higher is slower (each step ten times); a failure is red and of full height. */
export function CallStrip({ calls }: { calls: readonly Call[] }) {
  const bars = calls.toReversed();
  const failed = calls.filter(isBad).length;
  const longest = Math.max(...calls.map((call) => call.duration_ms ?? 0));
  return (
    <figure className="flex flex-col gap-1 border-b px-4 py-3">
      <svg
        role="img"
        aria-label={`${calls.length} calls, ${failed} of them failed; the longest took ${durationInWords(longest)}`}
        viewBox={`0 0 ${Math.max(60, bars.length) * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-10 w-full"
      >
        {bars.map((call, index) => {
          const height = 3 + (HEIGHT - 6) * Math.min(1, Math.log10(1 + (call.duration_ms ?? 0)) / Math.log10(1 + SLOW_MS));
          const bad = isBad(call);
          return (
            <rect
              key={call.id}
              x={(Math.max(0, 60 - bars.length) + index) * BAR}
              y={HEIGHT - (bad ? HEIGHT : height)}
              width={BAR - 1.5}
              height={bad ? HEIGHT : height}
              className={bad ? 'fill-failed' : call.status === 'running' ? 'fill-running' : 'fill-line-strong'}
            />
          );
        })}
      </svg>
      <figcaption className="text-xs text-muted">
        One bar a call, newest at the right. Higher is slower{failed === 0 ? '' : '; full height in red is failed'}.
      </figcaption>
    </figure>
  );
}
