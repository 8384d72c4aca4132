'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, RefreshCw, ScrollText } from 'lucide-react';
import { useQueryStates } from 'nuqs';
import { useCallback } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { accountQueries, auditSearch } from '#lib/client/account-queries.ts';
import type { AuditFilter } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { API } from '#lib/contract/paths.ts';
import { AUDIT_PARSERS, auditFilterOf } from './audit-filter.ts';
import type { AuditValues } from './audit-filter.ts';
import { AuditFilters } from './AuditFilters.tsx';
import { AuditRow } from './AuditRow.tsx';

/** Who did what, newest first; narrowed by the address, and never changed. */
export function AuditView() {
  const [{ entry: open, ...values }, setValues] = useQueryStates(AUDIT_PARSERS, { history: 'replace' });
  const filter = auditFilterOf(values);
  const { data, error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    accountQueries.audit(filter),
  );
  const change = useCallback((next: Partial<AuditValues>) => void setValues({ ...next, entry: null }), [setValues]);
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const isFiltered = auditSearch(filter) !== '';
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Audit"
        note="Who came in, and who changed what. Nothing here can be changed or removed."
        actions={
          <>
            <Button
              icon={<RefreshCw aria-hidden />}
              pending={isFetching && !isFetchingNextPage && !isPending}
              onClick={() => void refetch()}
            >
              Refresh
            </Button>
            <AuditExport filter={filter} />
          </>
        }
      />
      <AuditFilters values={values} onChange={change} />
      <section aria-label="Entries" className="min-w-0 rounded border bg-panel">
        {isPending ? (
          <Skeleton lines={8} label="Reading the entries…" />
        ) : data === undefined ? (
          <ErrorState
            className="m-4"
            title="The entries could not be read"
            detail={messageOf(error)}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        ) : entries.length === 0 ? (
          <EmptyState
            title={isFiltered ? 'No entry fits' : 'Nothing has been done yet'}
            icon={<ScrollText aria-hidden />}
            {...(isFiltered ? { actions: <Button onClick={() => void setValues(null)}>Show all entries</Button> } : {})}
          >
            {isFiltered
              ? 'Take a filter away, or widen the time.'
              : 'Signing in, roles, tokens, reloads, edits and what erases are written down here, with who did it and from where.'}
          </EmptyState>
        ) : (
          <>
            <ol aria-label="Entries, newest first" className="divide-y">
              {entries.map((entry) => (
                <AuditRow
                  key={entry.id}
                  entry={entry}
                  isOpen={entry.id === open}
                  onToggle={() => void setValues({ entry: entry.id === open ? null : entry.id })}
                  onFilter={change}
                />
              ))}
            </ol>
            {hasNextPage ? (
              <div className="flex justify-center border-t p-3">
                <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  Show older entries
                </Button>
              </div>
            ) : (
              <p role="status" className="border-t px-4 py-3 text-center text-sm text-muted">
                That is all: {entries.length} {entries.length === 1 ? 'entry' : 'entries'}.
              </p>
            )}
          </>
        )}
      </section>
    </div>
  );
}

/** All entries of the present filter as a file. */
function AuditExport({ filter }: { filter: AuditFilter }) {
  return (
    <Popover label="Export" trigger={<Button icon={<Download aria-hidden />}>Export</Button>}>
      <div className="flex w-64 flex-col gap-2 p-4">
        <p className="text-sm text-muted">Every entry that the filter lets through, the newest first.</p>
        {(['ndjson', 'csv'] as const).map((format) => (
          <Button key={format} asChild>
            <a
              href={`${API.exportAudit}?${new URLSearchParams([...new URLSearchParams(auditSearch(filter)), ['format', format]])}`}
              download
            >
              {format === 'csv' ? 'CSV, for a spreadsheet' : 'NDJSON, one entry a line'}
            </a>
          </Button>
        ))}
      </div>
    </Popover>
  );
}
