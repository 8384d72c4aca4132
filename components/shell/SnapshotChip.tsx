'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Button } from '#components/ui/Button.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { Changes } from './ChangeList.tsx';
import { causeInWords } from '#lib/client/snapshot-words.ts';

/** The version everything runs on and how old it is; opens what it changed. */
export function SnapshotChip() {
  const { data } = useInfiniteQuery(queries.snapshots());
  const last = data?.pages[0]?.snapshots[0];
  if (last === undefined) return null;
  return (
    <Popover
      label={`What version ${last.version} changed`}
      trigger={
        <Button size="sm" variant="quiet" icon={<History aria-hidden />} className="tabular text-muted">
          <span className="font-medium text-fg">v{last.version}</span>
          <RelativeTime time={last.created_at} bare />
          <span className="sr-only">, show what this version changed</span>
        </Button>
      }
    >
      <div className="flex flex-col gap-2 p-3">
        <p className="font-medium">
          Version {last.version}: {causeInWords(last.cause)}
        </p>
        <Changes snapshot={last} />
        <p className="text-xs text-muted">
          <RelativeTime time={last.created_at} />, took <Duration ms={last.duration_ms} />
          {last.calls_in_flight === 0
            ? ''
            : `, ${last.calls_in_flight} ${last.calls_in_flight === 1 ? 'call was' : 'calls were'} under way`}
        </p>
        <ListLink href={PAGES.version(last.version)} className="self-start rounded-sm text-sm underline underline-offset-2">
          Show it in the time line
        </ListLink>
      </div>
    </Popover>
  );
}
