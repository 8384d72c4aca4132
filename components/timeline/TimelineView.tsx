'use client';

import { EmptyState, QueryState, ShowOlder } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import {
  Ban,
  CirclePlay,
  HeartPulse,
  History,
  Hourglass,
  KeyRound,
  type LucideIcon,
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
  X,
} from 'lucide-react';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Select } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { NewRows, usePointerInside, useStableRows, VisibleItems } from '#components/ui/stable-rows.tsx';
import { Facts, PageHead, Section } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { focusNextRow, useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { sortByName } from '#components/ui/name-order.ts';
import { hasProblemCode } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { CHANGE_LOOKS, causeInWords, groupsOf } from '#lib/client/snapshot-words.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotCause, SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import { TIMELINE_FILTER, VERSIONS_A_PAGE } from './timeline-filter.ts';

export function TimelineView() {
  const [{ extension, version }, setFilter] = useQueryStates(TIMELINE_FILTER, { history: 'replace' });
  const read = useInfiniteQuery(queries.snapshots(VERSIONS_A_PAGE, extension ?? undefined));
  const { data } = read;
  const known = useQuery(queries.extensions()).data?.extensions.map((each) => each.id) ?? [];
  const choices = sortByName(extension === null || known.includes(extension) ? known : [extension, ...known], (id) => id);
  const all = useMemo(
    () => data?.pages.flatMap((page) => page.snapshots.map((snapshot) => ({ ...snapshot, id: String(snapshot.version) }))) ?? [],
    [data],
  );
  const { pointer, props: pointerProps } = usePointerInside();
  const { rows: snapshots, waiting, showAll } = useStableRows(all, { list: extension ?? '', pointer });

  const { list, rows } = useVisibleRows<HTMLOListElement, SnapshotRecord & { readonly id: string }>({
    name: 'versions',
    items: snapshots,
    height: 77,
    needed: version === null ? null : String(version),
  });
  usePageKeys({ j: () => focusNextRow(list.current, 1), k: () => focusNextRow(list.current, -1) });

  function hrefOf(next: number): string {
    return `${PAGES.version(next)}${extension === null ? '' : `&extension=${encodeURIComponent(extension)}`}`;
  }

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Timeline"
        note="Every change to the loaded extensions, with its cause"
        actions={
          <Select
            aria-label="Extension"
            className="w-full sm:w-56"
            options={[['', 'All extensions'], ...choices.map((id) => [id, id] as const)]}
            value={extension ?? ''}
            onChange={(id) => void setFilter({ extension: id || null })}
          />
        }
      />
      <div
        className="grid min-w-0 items-start gap-4 xl:data-[open=true]:grid-cols-[minmax(0,1fr)_minmax(22rem,28rem)]"
        data-open={version !== null}
      >
        {version === null ? null : (
          <aside
            aria-label="The selected version"
            className="min-w-0 rounded border bg-panel xl:sticky xl:top-18 xl:order-2 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto"
          >
            <VersionDetail key={version} version={version} onClose={() => void setFilter({ version: null })} />
          </aside>
        )}
        <section aria-label="Versions" className="min-w-0 rounded border bg-panel" {...pointerProps}>
          <NewRows count={waiting} onShow={showAll} />
          {data === undefined ? (
            <QueryState query={read} what="the timeline" lines={8} inset />
          ) : snapshots.length === 0 ? (
            <Nothing extension={extension} onClear={() => void setFilter({ extension: null })} />
          ) : (
            <>
              <ol ref={list} className="divide-y">
                <VisibleItems rows={rows} size={read.hasNextPage ? -1 : snapshots.length}>
                  {(snapshot, place) => (
                    <li
                      {...place}
                      className={cx(
                        'relative grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 px-4 py-3',
                        snapshot.version === version ? 'bg-accent-soft' : 'hover:bg-hover',
                      )}
                      data-version={snapshot.version}
                    >
                      <VersionRow snapshot={snapshot} open={snapshot.version === version} href={hrefOf(snapshot.version)} />
                    </li>
                  )}
                </VisibleItems>
              </ol>
              <ShowOlder query={read} what="versions" />
            </>
          )}
        </section>
      </div>
    </div>
  );
}

function Nothing({ extension, onClear }: { extension: string | null; onClear: () => void }) {
  if (extension === null) {
    return (
      <EmptyState title="No versions yet" icon={<History />}>
        Save a file in the extensions folder to create the first version.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={<span className="break-all">No versions for {extension}</span>}
      icon={<History />}
      actions={<Button onClick={onClear}>Show all versions</Button>}
    >
      No stored version added, changed or removed it.
    </EmptyState>
  );
}

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
  keep_alive: Hourglass,
  crash: TriangleAlert,
  recovery: HeartPulse,
  described: ServerCog,
  secret: KeyRound,
};

function VersionRow({ snapshot, open, href }: { snapshot: SnapshotRecord; open: boolean; href: string }) {
  const Icon = CAUSES[snapshot.cause.kind];
  return (
    <>
      <span aria-hidden className="flex size-7 items-center justify-center rounded-full border bg-panel text-muted [&_svg]:size-3.5">
        <Icon />
      </span>
      <div className="flex min-w-0 flex-col gap-2">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <ListLink
            href={href}
            scroll={false}
            aria-current={open ? 'true' : undefined}
            className="tabular rounded-sm font-semibold row-link hover:underline"
          >
            v{snapshot.version}
          </ListLink>
          <span className="min-w-0 flex-1 basis-40 break-words first-letter:uppercase">{causeInWords(snapshot)}</span>
          <span className="tabular text-sm whitespace-nowrap text-muted">
            <Duration ms={snapshot.duration_ms} /> · <RelativeTime time={snapshot.created_at} />
          </span>
        </p>
        <VersionChanges snapshot={snapshot} />
      </div>
    </>
  );
}

function VersionChanges({ snapshot: { changes, calls_in_flight: calls } }: { snapshot: SnapshotRecord }) {
  const groups = groupsOf(changes);
  return (
    <ul className="relative flex flex-col gap-1 text-sm">
      {groups.map((group) => (
        <li key={group.kind} className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-start">
          <StateText {...CHANGE_LOOKS[group.kind]} />
          <LinkedNames names={group.ids} hrefOf={PAGES.extension} />
        </li>
      ))}
      <ToolNames word="New tools" names={changes.tools_added} linked />
      <ToolNames word="Removed tools" names={changes.tools_removed} linked={false} />
      {calls === 0 ? null : (
        <li className="text-muted">
          {calls} {calls === 1 ? 'call' : 'calls'} in flight
        </li>
      )}
      {groups.length + changes.tools_added.length + changes.tools_removed.length > 0 ? null : (
        <li className="flex items-center gap-2 text-muted">
          <PackageOpen className="size-3.5" /> No extension changed
        </li>
      )}
    </ul>
  );
}

function ToolNames({ word, names, linked }: { word: string; names: readonly string[]; linked: boolean }) {
  if (names.length === 0) return null;
  return (
    <li className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-start">
      <span className="text-muted">{word}</span>
      <LinkedNames names={names} hrefOf={(name) => (linked ? PAGES.tool(name) : null)} max={6} />
    </li>
  );
}

function VersionDetail({ version, onClose }: { version: number; onClose: () => void }) {
  const { data, error, refetch, isFetching } = useQuery(queries.snapshot(version));
  return (
    <div className="relative flex min-w-0 flex-col gap-4 p-4">
      <IconButton size="sm" label="Close" onClick={onClose} className="absolute top-3 right-3">
        <X />
      </IconButton>
      <h2 className="tabular pr-8 text-lg font-semibold">Version {version}</h2>
      {data !== undefined ? (
        <Version snapshot={data} />
      ) : hasProblemCode(error, 'snapshot_not_found') ? (
        <p className="text-muted">Version not found</p>
      ) : (
        <QueryState query={{ error, refetch, isFetching }} what="the version" lines={8} />
      )}
    </div>
  );
}

function Version({ snapshot }: { snapshot: SnapshotRecord }) {
  const newest = useInfiniteQuery(queries.snapshots()).data?.pages[0]?.snapshots[0]?.version ?? 0;
  const next = useQuery({ ...queries.snapshot(snapshot.version + 1), enabled: snapshot.version < newest }).data;
  const { cause } = snapshot;
  return (
    <>
      <Facts
        items={[
          { name: 'Cause', value: <span className="block break-words first-letter:uppercase">{causeInWords(snapshot)}</span> },
          cause.files.length < 2 ? null : { name: 'Files', value: <span className="block break-all">{cause.files.join(', ')}</span> },
          { name: 'When', value: <RelativeTime time={snapshot.created_at} /> },
          { name: 'Duration', value: <Duration ms={snapshot.duration_ms} /> },
          {
            name: 'Calls',
            value: (
              <ListLink href={callsOf(snapshot, next)} className="link">
                Show calls on this version
              </ListLink>
            ),
          },
        ]}
      />
      <Section title="What changed">
        <VersionChanges snapshot={snapshot} />
      </Section>
      <Section title="State of all extensions" note={snapshot.extensions.length}>
        {snapshot.extensions.length === 0 ? <p className="text-sm text-muted">No extensions</p> : <Members members={snapshot.extensions} />}
      </Section>
    </>
  );
}

function Members({ members }: { members: readonly SnapshotMember[] }) {
  const { list, rows } = useVisibleRows<HTMLUListElement, SnapshotMember>({
    name: 'extensions of a version',
    items: members,
    height: 33,
  });
  return (
    <ul ref={list} className="divide-y rounded border text-sm">
      <VisibleItems rows={rows} size={members.length}>
        {(member, place) => (
          <li {...place} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2">
            <ListLink href={PAGES.extension(member.id)} className="min-w-0 flex-1 basis-32 rounded-sm break-all hover:underline">
              {member.id}
            </ListLink>
            <StateText state={member.state} />
            <span className="tabular text-muted max-sm:basis-full sm:w-24 sm:text-right">{revisionInWords(member)}</span>
          </li>
        )}
      </VisibleItems>
    </ul>
  );
}

/** Calls belong to a version by start time, up to the start of the next version. */
function callsOf(snapshot: SnapshotRecord, next: SnapshotRecord | undefined): string {
  const search = new URLSearchParams({ since: snapshot.created_at, ...(next === undefined ? {} : { until: next.created_at }) });
  return `${PAGES.calls}?${search.toString()}`;
}

function revisionInWords({ revision, serving_revision: serving }: SnapshotMember): string {
  if (revision === null) return '–';
  if (serving === null || serving === revision) return `revision ${revision}`;
  return `${revision}, serving ${serving}`;
}
