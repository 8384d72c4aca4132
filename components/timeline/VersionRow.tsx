'use client';

import {
  Ban,
  CirclePlay,
  HeartPulse,
  History,
  PackageOpen,
  PencilLine,
  Pin,
  PinOff,
  Power,
  RefreshCw,
  RotateCcw,
  Save,
  ServerCog,
  TriangleAlert,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { cx } from '#components/ui/cx.ts';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { causeInWords, CHANGE_LOOKS, groupsOf } from '#lib/client/snapshot-words.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotCause, SnapshotRecord } from '#lib/contract/snapshot.ts';

const CAUSES: Record<SnapshotCause['kind'], LucideIcon> = {
  start: Power,
  watch: Save,
  edit: PencilLine,
  reload: RefreshCw,
  restart: RotateCcw,
  disable: Ban,
  enable: CirclePlay,
  rollback: History,
  pin: Pin,
  unpin: PinOff,
  crash: TriangleAlert,
  recovery: HeartPulse,
  described: ServerCog,
};

/** One version in a line or two: why it came about, and what it did. */
export function VersionRow({ snapshot, open, href }: { snapshot: SnapshotRecord; open: boolean; href: string }) {
  const Icon = CAUSES[snapshot.cause.kind];
  return (
    <li
      className={cx('relative grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 px-4 py-3', open ? 'bg-accent-soft' : 'hover:bg-hover')}
      data-version={snapshot.version}
    >
      <span aria-hidden className="flex size-7 items-center justify-center rounded-full border bg-panel text-muted [&_svg]:size-3.5">
        <Icon />
      </span>
      <div className="flex min-w-0 flex-col gap-1.5">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <ListLink
            href={href}
            scroll={false}
            aria-current={open ? 'true' : undefined}
            className="tabular rounded-sm font-semibold row-link hover:underline"
          >
            v{snapshot.version}
          </ListLink>
          <span className="min-w-0 flex-1 basis-40 break-words first-letter:uppercase">{causeInWords(snapshot.cause)}</span>
          <span className="tabular text-sm whitespace-nowrap text-muted">
            <Duration ms={snapshot.duration_ms} /> · <RelativeTime time={snapshot.created_at} />
          </span>
        </p>
        <VersionChanges snapshot={snapshot} />
      </div>
    </li>
  );
}

/** Extensions by kind of change, then tools that came and went. */
export function VersionChanges({ snapshot: { changes, calls_in_flight: calls } }: { snapshot: SnapshotRecord }) {
  const groups = groupsOf(changes);
  return (
    <ul className="relative flex flex-col gap-1 text-sm">
      {groups.map((group) => (
        <li key={group.kind} className="flex flex-wrap gap-x-2">
          <StateText {...CHANGE_LOOKS[group.kind]} />
          <LinkedNames names={group.ids} hrefOf={PAGES.extension} />
        </li>
      ))}
      <ToolNames word="New tools" names={changes.tools_added} linked />
      <ToolNames word="Tools gone" names={changes.tools_removed} linked={false} />
      {calls === 0 ? null : (
        <li className="text-muted">
          {calls} {calls === 1 ? 'call was' : 'calls were'} under way
        </li>
      )}
      {groups.length + changes.tools_added.length + changes.tools_removed.length > 0 ? null : (
        <li className="flex items-center gap-1.5 text-muted">
          <PackageOpen aria-hidden className="size-3.5" /> No extension changed
        </li>
      )}
    </ul>
  );
}

function ToolNames({ word, names, linked }: { word: string; names: readonly string[]; linked: boolean }) {
  if (names.length === 0) return null;
  return (
    <li className="flex flex-wrap gap-x-2">
      <span className="text-muted">{word}</span>
      <LinkedNames names={names} hrefOf={(name) => (linked ? PAGES.tool(name) : null)} most={6} />
    </li>
  );
}
