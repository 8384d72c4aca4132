'use client';

import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { durationInWords, minuteOf } from '#components/ui/times.ts';
import type { CallStats } from '#lib/contract/call.ts';
import { spanOf } from './history-figures.ts';
import type { HistoryStripProps } from './HistoryStrip.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';

/** The strip as figures: for who reads them exactly, and for keyboards and screen readers, which cannot drag. */
export function HistoryTable({ stats, onSpan }: { stats: CallStats; onSpan: HistoryStripProps['onSpan'] }) {
  const { clock } = useTimeZone();
  const rows = stats.buckets.map((bucket, at) => ({ ...bucket, place: at })).filter((bucket) => bucket.calls > 0);
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer rounded-sm text-muted hover:text-fg">As a table</summary>
      {rows.length === 0 ? (
        <p className="py-2 text-muted">There are no calls in this time.</p>
      ) : (
        <div tabIndex={0} role="region" aria-label="Calls over time as a table" className="focus-inset mt-2 max-h-72 overflow-auto">
          <table className="tabular w-full text-right">
            <thead className="text-xs text-muted">
              <tr className="border-b">
                {['From', 'Calls', 'Failed', 'Half within', '95% within'].map((name, at) => (
                  <th key={name} scope="col" className={at === 0 ? 'py-1 text-left font-medium' : 'px-2 py-1 font-medium'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {rows.toReversed().map((bucket) => (
                <tr key={bucket.at}>
                  <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                    <button
                      type="button"
                      onClick={() => onSpan(spanOf(stats, bucket.place, bucket.place))}
                      className="rounded-sm underline underline-offset-2 pointer-coarse:py-2"
                    >
                      {minuteOf(bucket.at, clock)}
                    </button>
                  </th>
                  <td className="px-2">{inThousands(bucket.calls)}</td>
                  <td className="px-2">{inThousands(bucket.failed)}</td>
                  <td className="px-2 whitespace-nowrap">{bucket.p50_ms === null ? '–' : durationInWords(bucket.p50_ms)}</td>
                  <td className="px-2 whitespace-nowrap">{bucket.p95_ms === null ? '–' : durationInWords(bucket.p95_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
