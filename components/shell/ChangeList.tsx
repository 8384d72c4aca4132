'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotRecord } from '#lib/contract/snapshot.ts';
import { causeInWords, CHANGE_LOOKS, groupsOf } from '#lib/client/snapshot-words.ts';

/** Changes of one version by kind, with links to the extensions. */
export function Changes({ snapshot }: { snapshot: SnapshotRecord }) {
  const groups = groupsOf(snapshot.changes);
  if (groups.length === 0) return <p className="text-sm text-muted">No extension changed.</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {groups.map((group) => (
        <li key={group.kind} className="flex flex-wrap gap-x-2">
          <StateText {...CHANGE_LOOKS[group.kind]} />
          <LinkedNames names={group.ids} hrefOf={(id) => (group.kind === 'removed' ? null : PAGES.extension(id))} />
        </li>
      ))}
    </ul>
  );
}

/** Newest first. */
export function ChangeList({ snapshots }: { snapshots: readonly SnapshotRecord[] }) {
  return (
    <ol className="divide-y">
      {snapshots.map((snapshot) => (
        <li key={snapshot.version} className="flex flex-col gap-1 px-4 py-2.5">
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <ListLink href={PAGES.version(snapshot.version)} className="tabular rounded-sm font-medium hover:underline">
              v{snapshot.version}
            </ListLink>
            <span className="min-w-0 flex-1 break-words text-muted">{causeInWords(snapshot.cause)}</span>
            <Duration ms={snapshot.duration_ms} className="tabular text-xs text-muted" />
            <RelativeTime time={snapshot.created_at} className="text-xs whitespace-nowrap text-muted" />
          </p>
          <Changes snapshot={snapshot} />
        </li>
      ))}
    </ol>
  );
}
