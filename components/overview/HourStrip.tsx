'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { badOf, callsAddress, intervalInWords } from './hour-words.ts';

const HEIGHT = 40;

/** The last hour from left to right, five minutes a bar; each bar leads to its calls. */
export function HourStrip({ hour }: { hour: LastHour }) {
  const { clock } = useTimeZone();
  const most = Math.max(1, ...hour.intervals.map((interval) => interval.calls));
  return (
    <figure className="flex flex-col gap-1 border-b px-4 py-3">
      <ol aria-label="The last hour, five minutes each" className="flex h-10 items-stretch gap-0.5">
        {hour.intervals.map((interval) => {
          const words = intervalInWords(interval, clock);
          return (
            <li key={interval.since} className="min-w-0 flex-1">
              <ListLink
                href={callsAddress({ since: interval.since, until: interval.until })}
                title={words}
                aria-label={words}
                className="focus-inset block h-full rounded-sm hover:bg-hover"
              >
                <Bar calls={interval.calls / most} bad={badOf(interval) / most} />
              </ListLink>
            </li>
          );
        })}
      </ol>
      <figcaption className="flex justify-between gap-3 text-xs text-muted">
        <span>An hour ago</span>
        <span className="max-sm:hidden">Five minutes a bar; failed calls in red, at the foot</span>
        <span>Now</span>
      </figcaption>
    </figure>
  );
}

/** Heights from 0 to 1; what is there is seen, however little it is. */
function Bar({ calls, bad }: { calls: number; bad: number }) {
  const all = calls === 0 ? 1 : Math.max(3, calls * HEIGHT);
  const failed = bad === 0 ? 0 : Math.max(3, bad * HEIGHT);
  return (
    <svg aria-hidden viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" className="h-full w-full">
      <rect x={0} width={10} y={HEIGHT - all} height={all} className={calls === 0 ? 'fill-line' : 'fill-line-strong'} />
      <rect x={0} width={10} y={HEIGHT - failed} height={failed} className="fill-failed" />
    </svg>
  );
}
