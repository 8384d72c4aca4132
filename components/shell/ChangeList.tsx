'use client';

import Link from 'next/link';
import { Fragment } from 'react';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import type { StateName } from '#components/ui/states.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotRecord } from '#lib/contract/snapshot.ts';
import { causeInWords, groupsOf } from './snapshot-words.ts';
import type { ChangeGroup } from './snapshot-words.ts';

const LOOK: Record<ChangeGroup['kind'], { state: StateName; word: string }> = {
  failed: { state: 'failed', word: 'Failed' },
  recovered: { state: 'ready', word: 'Recovered' },
  added: { state: 'ready', word: 'Added' },
  changed: { state: 'loaded', word: 'Changed' },
  removed: { state: 'cancelled', word: 'Removed' },
};

const MOST = 8;

/** What one version changed, by kind, each extension a link. */
export function Changes({ snapshot }: { snapshot: SnapshotRecord }) {
  const groups = groupsOf(snapshot.changes);
  if (groups.length === 0) return <p className="text-sm text-muted">No extension changed.</p>;
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {groups.map((group) => (
        <li key={group.kind} className="flex flex-wrap gap-x-2">
          <StateText state={LOOK[group.kind].state} word={LOOK[group.kind].word} />
          <span className="min-w-0 break-words">
            {group.ids.slice(0, MOST).map((id, index) => (
              <Fragment key={id}>
                {index > 0 ? ', ' : null}
                {group.kind === 'removed' ? (
                  id
                ) : (
                  <Link
                    href={PAGES.extension(id)}
                    className="rounded-sm underline decoration-line-strong underline-offset-2 hover:decoration-current"
                  >
                    {id}
                  </Link>
                )}
              </Fragment>
            ))}
            {group.ids.length > MOST ? ` and ${group.ids.length - MOST} more` : null}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The last versions, newest first. */
export function ChangeList({ snapshots }: { snapshots: readonly SnapshotRecord[] }) {
  return (
    <ol className="divide-y">
      {snapshots.map((snapshot) => (
        <li key={snapshot.version} className="flex flex-col gap-1 px-4 py-2.5">
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <span className="tabular font-medium">v{snapshot.version}</span>
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
