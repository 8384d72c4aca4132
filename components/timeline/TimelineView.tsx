'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Select } from '#components/ui/Field.tsx';
import { sortByName } from '#components/ui/name-order.ts';
import { NewRows } from '#components/ui/NewRows.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { useHand, useSteadyRows } from '#components/ui/use-steady-rows.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { TIMELINE_FILTER, VERSIONS_A_PAGE } from './timeline-filter.ts';
import { VersionDetail } from './VersionDetail.tsx';
import { VersionRow } from './VersionRow.tsx';

/** Every version of the set of extensions, newest first: what led to it and what it did. */
export function TimelineView() {
  const [{ extension, version }, setFilter] = useQueryStates(TIMELINE_FILTER, { history: 'replace' });
  const { data, error, isPending, refetch, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(
    queries.snapshots(VERSIONS_A_PAGE, extension ?? undefined),
  );
  const known = useQuery(queries.extensions()).data?.extensions.map((each) => each.id) ?? [];
  const choices = sortByName(extension === null || known.includes(extension) ? known : [extension, ...known], (id) => id);
  const all = useMemo(
    () => data?.pages.flatMap((page) => page.snapshots.map((snapshot) => ({ ...snapshot, id: String(snapshot.version) }))) ?? [],
    [data],
  );
  const { hand, props: handProps } = useHand();
  const { rows: snapshots, waiting, showAll } = useSteadyRows(all, { list: extension ?? '', hand });

  function hrefOf(next: number): string {
    return `${PAGES.version(next)}${extension === null ? '' : `&extension=${encodeURIComponent(extension)}`}`;
  }

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Time line"
        note="Every change of the set of extensions, and why it came about."
        actions={
          <Select
            aria-label="Only versions about"
            className="w-full sm:w-56"
            value={extension ?? ''}
            onChange={(event) => void setFilter({ extension: event.target.value === '' ? null : event.target.value })}
          >
            <option value="">Every extension</option>
            {choices.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </Select>
        }
      />
      <div
        className="grid min-w-0 items-start gap-5 xl:data-[open=true]:grid-cols-[minmax(0,1fr)_minmax(22rem,28rem)]"
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
        <section aria-label="Versions" className="min-w-0 rounded border bg-panel" {...handProps}>
          <NewRows count={waiting} onShow={showAll} />
          {isPending ? (
            <Skeleton lines={8} label="Reading the time line…" />
          ) : data === undefined ? (
            <ErrorState
              className="m-4"
              title="The time line could not be read"
              detail={messageOf(error)}
              onRetry={() => void refetch()}
              retrying={isFetching}
            />
          ) : snapshots.length === 0 ? (
            <Nothing extension={extension} onClear={() => void setFilter({ extension: null })} />
          ) : (
            <>
              <ol className="divide-y">
                {snapshots.map((snapshot) => (
                  <VersionRow
                    key={snapshot.version}
                    snapshot={snapshot}
                    open={snapshot.version === version}
                    href={hrefOf(snapshot.version)}
                  />
                ))}
              </ol>
              {hasNextPage ? (
                <div className="flex justify-center border-t p-3">
                  <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                    Show older versions
                  </Button>
                </div>
              ) : null}
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
      <EmptyState title="Nothing has changed yet" icon={<History aria-hidden />}>
        Save a file in the extensions folder: each change of what is loaded makes a version, and its story stands here.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={<span className="break-all">No version is about {extension}</span>}
      icon={<History aria-hidden />}
      actions={<Button onClick={onClear}>Show all versions</Button>}
    >
      It has not been added, changed or removed as far back as versions are kept.
    </EmptyState>
  );
}
