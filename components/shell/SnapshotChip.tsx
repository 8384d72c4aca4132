'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const SnapshotCard = lazyPart(
  async () => (await import('./SnapshotCard.tsx')).SnapshotCard,
  <p className="p-3 text-muted">Loading what it changed…</p>,
);

/** Current version and its age; opens its changes. */
export function SnapshotChip() {
  const { data } = useInfiniteQuery(queries.snapshots());
  const last = data?.pages[0]?.snapshots[0];
  if (last === undefined) return null;
  return (
    <Popover
      label={`Changes in version ${last.version}`}
      trigger={
        <Button size="sm" variant="quiet" icon={<History aria-hidden />} className="tabular text-muted">
          <span className="font-medium text-fg">v{last.version}</span>
          <RelativeTime time={last.created_at} bare />
          <span className="sr-only">, show what this version changed</span>
        </Button>
      }
    >
      <SnapshotCard snapshot={last} />
    </Popover>
  );
}
