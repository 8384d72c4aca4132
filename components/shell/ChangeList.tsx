'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { ListLink } from '#components/ui/ListLink.tsx';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotRecord } from '#lib/contract/snapshot.ts';
import { causeInWords, CHANGE_LOOKS, groupsOf } from '#lib/client/snapshot-words.ts';
import { queries } from '#lib/client/queries.ts';

/** Changes of one version by kind, with links to the extensions. */
export function Changes({ snapshot }: { snapshot: SnapshotRecord }) {
  const groups = groupsOf(snapshot.changes);
  if (groups.length === 0) return <p className="text-sm text-muted">No extension changed.</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {groups.map((group) => (
        <li key={group.kind} className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-start">
          <StateText {...CHANGE_LOOKS[group.kind]} />
          <LinkedNames names={group.ids} hrefOf={(id) => (group.kind === 'removed' ? null : PAGES.extension(id))} />
        </li>
      ))}
    </ul>
  );
}

function ChangeList({ snapshots }: { snapshots: readonly SnapshotRecord[] }) {
  return (
    <ol className="divide-y">
      {snapshots.map((snapshot) => (
        <li key={snapshot.version} className="flex flex-col gap-1 px-4 py-2">
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <ListLink href={PAGES.version(snapshot.version)} className="tabular rounded-sm font-medium hover:underline">
              v{snapshot.version}
            </ListLink>
            <span className="min-w-0 flex-1 break-words text-muted first-letter:uppercase">{causeInWords(snapshot)}</span>
            <Duration ms={snapshot.duration_ms} className="tabular text-xs text-muted" />
            <RelativeTime time={snapshot.created_at} className="text-xs whitespace-nowrap text-muted" />
          </p>
          <Changes snapshot={snapshot} />
        </li>
      ))}
    </ol>
  );
}

export function SnapshotCard({ snapshot }: { snapshot: SnapshotRecord }) {
  const { version, calls_in_flight: underWay } = snapshot;
  return (
    <div className="flex flex-col gap-2 p-3">
      <p className="font-medium">
        Version {version}: {causeInWords(snapshot)}
      </p>
      <Changes snapshot={snapshot} />
      <p className="text-xs text-muted">
        <RelativeTime time={snapshot.created_at} />, took <Duration ms={snapshot.duration_ms} />
        {underWay === 0 ? '' : `, ${underWay} ${underWay === 1 ? 'call was' : 'calls were'} running`}
      </p>
      <ListLink href={PAGES.version(version)} className="link self-start text-sm">
        Show in the timeline
      </ListLink>
    </div>
  );
}

const SHOWN = 6;

export function LastChanges() {
  const query = useInfiniteQuery(queries.snapshots());
  const snapshots = query.data?.pages[0]?.snapshots.slice(0, SHOWN);
  return (
    <Panel
      title="Last changes"
      flush
      actions={
        <Link href={PAGES.timeline} className="link text-sm">
          Show all
        </Link>
      }
    >
      {snapshots === undefined ? (
        <QueryState query={query} what="the last changes" lines={6} inset />
      ) : snapshots.length === 0 ? (
        <p className="px-4 py-3 text-muted">No changes yet. Saved files, reloads and restarts that change the extensions appear here.</p>
      ) : (
        <ChangeList snapshots={snapshots} />
      )}
    </Panel>
  );
}
