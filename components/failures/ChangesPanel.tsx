'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { ChangedFile, ChangedPackage, FailureChanges, FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { HunkView } from './HunkView.tsx';

const OPEN_AT_FIRST = 3;
const CHANGE_WORDS = { added: 'new', removed: 'removed', changed: 'changed' } as const;

/** What changed since it worked: the suspects first. */
export function ChangesPanel({ group }: { group: FailureGroupDetail }) {
  const { data, error, refetch, isFetching } = useQuery(failureQueries.changes(group.id));
  return (
    <Panel title="What changed since it worked" flush {...(data === undefined || !data.comparable ? {} : { note: summary(data) })}>
      {data === undefined ? (
        error === null ? (
          <div className="p-4">
            <Skeleton lines={4} label="Comparing the sources…" />
          </div>
        ) : (
          <ErrorState
            title="The sources could not be compared"
            detail={messageOf(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
            className="m-4"
          />
        )
      ) : data.comparable ? (
        <div className="flex min-w-0 flex-col divide-y">
          <PackageChanges packages={data.packages} />
          {data.files.map((file, at) => (
            <FileChanges key={file.path} file={file} startsOpen={at < OPEN_AT_FIRST} faultLine={file.guilty ? group.latest.line : null} />
          ))}
        </div>
      ) : (
        <div className="flex min-w-0 flex-col divide-y">
          <p className="p-4 text-muted">{data.note}</p>
          <PackageChanges packages={data.packages} />
        </div>
      )}
    </Panel>
  );
}

/** Installed packages that are not what they were. */
function PackageChanges({ packages }: { packages: readonly ChangedPackage[] }) {
  if (packages.length === 0) return null;
  return (
    <ul aria-label="Packages that changed" className="flex min-w-0 flex-col gap-1 px-4 py-2 text-sm">
      {packages.map(({ name, before, after }) => (
        <li key={name} className="min-w-0 break-words">
          <code>{name}</code>{' '}
          <span className="tabular text-muted">
            {before === null
              ? `${after ?? ''} was not imported or not installed before`
              : after === null
                ? `${before} is not imported or not installed any more`
                : `was ${before} and is ${after} now`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function summary({ good_revision, failing_revision, files, packages }: FailureChanges): string {
  const count = files.length === 1 ? 'one file' : `${files.length} files`;
  const others = packages.length === 0 ? '' : packages.length === 1 ? ', one package' : `, ${packages.length} packages`;
  return `revision ${good_revision} → ${failing_revision}, ${count}${others}`;
}

function FileChanges({ file, startsOpen, faultLine }: { file: ChangedFile; startsOpen: boolean; faultLine: number | null }) {
  const [open, setOpen] = useState(startsOpen);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <section aria-label={`Changes of ${file.path}`} className="min-w-0">
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="focus-inset flex w-full min-w-0 flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2 text-left text-sm hover:bg-hover"
        >
          <Chevron aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 font-mono break-all">{file.path}</span>
          <span className="text-muted">{CHANGE_WORDS[file.change]}</span>
          {file.guilty ? <Badge className="border-failed/45 text-failed">the fault is here</Badge> : null}
          <span className="tabular ml-auto flex gap-2">
            <span className="text-ok">+{file.added}</span>
            <span className="text-failed">−{file.removed}</span>
          </span>
        </button>
      </h3>
      {!open ? null : file.hunks === null ? (
        <p className="px-4 pb-3 text-sm text-muted">The two are too different to be compared line by line.</p>
      ) : (
        <div className="min-w-0 border-t">
          {file.hunks.map((hunk) => (
            <HunkView key={`${hunk.old_start}-${hunk.new_start}`} hunk={hunk} file={file.path} faultLine={faultLine} />
          ))}
        </div>
      )}
    </section>
  );
}
