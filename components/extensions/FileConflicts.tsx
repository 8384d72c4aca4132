'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LinkedNames } from '#components/ui/LinkedNames.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { conflictQuery, conflictsQuery } from '#lib/client/instance-queries.ts';
import type { FileConflictList } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';

const ConflictPanel = lazyPart(() => import('./ConflictPanel.tsx').then((module) => module.ConflictPanel), <Skeleton lines={6} />);

/** All file conflicts, even of files that no extension uses; nothing without any. */
export function FileConflicts() {
  const { data, error, refetch, isFetching } = useQuery(conflictsQuery());
  if (data === undefined) return error === null ? null : <QueryState query={{ error, refetch, isFetching }} what="the conflicts" />;
  if (data.conflicts.length === 0) return null;
  return (
    <Panel title="Conflicts" note="files that were saved on two instances at the same time" flush>
      <ul aria-label="Conflicts" className="divide-y text-sm">
        {data.conflicts.map((conflict) => (
          <Row key={conflict.id} conflict={conflict} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ conflict: { id, path, saved_at: savedAt, extensions } }: { conflict: FileConflictList['conflicts'][number] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="min-w-0">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="focus-inset cursor-pointer px-4 py-2">
          <code className="break-all">{path}</code>{' '}
          <span className="text-muted">
            <RelativeTime time={savedAt} />
            {extensions.length === 0 ? ', used by no extension' : null}
          </span>
        </summary>
        {isOpen ? (
          <div className="flex min-w-0 flex-col gap-3 px-4 pb-4">
            {extensions.length === 0 ? null : (
              <p>
                Used by <LinkedNames names={extensions} hrefOf={PAGES.extension} />
              </p>
            )}
            <Texts id={id} />
          </div>
        ) : null}
      </details>
    </li>
  );
}

function Texts({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery(conflictQuery(id));
  return data === undefined ? (
    <QueryState query={{ error, refetch, isFetching }} what="the conflict" lines={6} />
  ) : (
    <ConflictPanel conflict={data} />
  );
}
