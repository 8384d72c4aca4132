'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { Facts, Section } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { causeInWords } from '#lib/client/snapshot-words.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import { VersionChanges } from './VersionRow.tsx';

export interface VersionDetailProps {
  version: number;
  onClose: () => void;
}

/** One version in full: its cause, what it did, and how every extension stood in it. */
export function VersionDetail({ version, onClose }: VersionDetailProps) {
  const { data, error, refetch, isFetching } = useQuery(queries.snapshot(version));
  return (
    <div className="relative flex min-w-0 flex-col gap-5 p-4">
      <IconButton size="sm" label="Close" onClick={onClose} className="absolute top-3 right-3">
        <X aria-hidden />
      </IconButton>
      <h2 className="tabular pr-8 text-lg font-semibold">Version {version}</h2>
      {data !== undefined ? (
        <Version snapshot={data} />
      ) : error === null ? (
        <Skeleton lines={8} label="Reading the version…" />
      ) : hasProblemCode(error, 'snapshot_not_found') ? (
        <p className="text-muted">There is no version with this number.</p>
      ) : (
        <ErrorState title="The version could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
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
          { name: 'Cause', value: <span className="break-words">{causeInWords(cause)}</span> },
          ...(cause.files.length < 2 ? [] : [{ name: 'Files', value: <span className="block break-all">{cause.files.join(', ')}</span> }]),
          { name: 'When', value: <RelativeTime time={snapshot.created_at} /> },
          { name: 'Took', value: <Duration ms={snapshot.duration_ms} /> },
          {
            name: 'Calls',
            value: (
              <ListLink href={callsOf(snapshot, next)} className="rounded-sm underline underline-offset-2">
                Those made on this version
              </ListLink>
            ),
          },
        ]}
      />
      <Section title="What changed">
        <VersionChanges snapshot={snapshot} />
      </Section>
      <Section title="How it stood" note={snapshot.extensions.length}>
        {snapshot.extensions.length === 0 ? (
          <p className="text-sm text-muted">There were no extensions.</p>
        ) : (
          <ul className="divide-y rounded border text-sm">
            {snapshot.extensions.map((member) => (
              <li key={member.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5">
                <ListLink href={PAGES.extension(member.id)} className="min-w-0 flex-1 basis-32 rounded-sm break-all hover:underline">
                  {member.id}
                </ListLink>
                <StateText state={member.state} />
                <span className="tabular text-muted max-sm:basis-full sm:w-24 sm:text-right">{revisionInWords(member)}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

/** A call knows the version it ran on by its time: from this one's on, up to the next. */
function callsOf(snapshot: SnapshotRecord, next: SnapshotRecord | undefined): string {
  const search = new URLSearchParams({ since: snapshot.created_at, ...(next === undefined ? {} : { until: next.created_at }) });
  return `${PAGES.calls}?${search.toString()}`;
}

function revisionInWords({ revision, serving_revision: serving }: SnapshotMember): string {
  if (revision === null) return '–';
  if (serving === null || serving === revision) return `revision ${revision}`;
  return `${revision}, serving ${serving}`;
}
