'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { causeInWords } from '#lib/client/snapshot-words.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotRecord } from '#lib/contract/snapshot.ts';
import { Changes } from './ChangeList.tsx';

/** Changes of a version and their cause. */
export function SnapshotCard({ snapshot }: { snapshot: SnapshotRecord }) {
  const { version, calls_in_flight: underWay } = snapshot;
  return (
    <div className="flex flex-col gap-2 p-3">
      <p className="font-medium">
        Version {version}: {causeInWords(snapshot.cause)}
      </p>
      <Changes snapshot={snapshot} />
      <p className="text-xs text-muted">
        <RelativeTime time={snapshot.created_at} />, took <Duration ms={snapshot.duration_ms} />
        {underWay === 0 ? '' : `, ${underWay} ${underWay === 1 ? 'call was' : 'calls were'} running`}
      </p>
      <ListLink href={PAGES.version(version)} className="self-start rounded-sm text-sm underline underline-offset-2">
        Show in the timeline
      </ListLink>
    </div>
  );
}
