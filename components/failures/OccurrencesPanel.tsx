'use client';

import { Panel } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import Link from 'next/link';
import type { FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { Sparkline } from './Sparkline.tsx';

/** In which versions it was seen, and how often. */
export function OccurrencesPanel({ group }: { group: FailureGroupDetail }) {
  const most = Math.max(1, ...group.occurrences.map((each) => each.count));
  return (
    <Panel title="By version" note={<Sparkline trend={group.trend} />}>
      {group.occurrences.length === 0 ? (
        <p className="text-muted">It was seen before sightings were kept.</p>
      ) : (
        <ol className="flex max-h-72 flex-col gap-1.5 overflow-y-auto text-sm">
          {group.occurrences.map((each) => (
            <li
              key={`${each.snapshot_version}-${each.revision}`}
              className="tabular grid grid-cols-[3.5rem_5.5rem_1fr_auto] items-center gap-2"
            >
              <Link href={PAGES.version(each.snapshot_version)} className="rounded-sm underline underline-offset-2">
                v{each.snapshot_version}
              </Link>
              <span className="text-muted">{each.revision === null ? 'no revision' : `revision ${each.revision}`}</span>
              <svg role="img" aria-label={`${each.count} times`} viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full">
                <rect x={0} y={0} width={Math.max(2, (each.count / most) * 100)} height={8} rx={1} className="fill-failed" />
              </svg>
              <span>
                {each.count}× <RelativeTime time={each.last_seen} className="text-muted" />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
