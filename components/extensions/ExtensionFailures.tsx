'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleX, KeyRound } from 'lucide-react';
import Link from 'next/link';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { CodeFrame, FailedCheckList, StackTrace } from '#components/ui/FailureCause.tsx';
import { Note } from '#components/ui/Note.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { StateBadge } from '#components/ui/Badge.tsx';
import { failedCheckItems, failureAsMarkdown, locationOf, messageBesideChecks } from '#lib/client/failure-markdown.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import type { Failure } from '#lib/contract/failure.ts';
import { missingSecretOf } from '#lib/contract/names.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function ExtensionFailures({ id }: { id: string }) {
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    failureQueries.list({ extension: id }),
  );
  const groups = data?.pages.flatMap((page) => page.groups);
  if (groups === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the failures" lines={5} inset />;
  if (groups.length === 0) {
    return <EmptyState title="No failures yet">Failed loads and crashes appear here.</EmptyState>;
  }
  return (
    <>
      <ul className="divide-y">
        {groups.map((group) => (
          <li key={group.id} className="relative flex flex-col gap-1 px-4 py-2 hover:bg-hover">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <StateBadge state={group.status} />
              {group.regression ? <StateBadge state="failed" word="Regression" /> : null}
              <code className="text-xs text-muted">{group.code}</code>
              <span className="tabular ml-auto text-sm text-muted">
                {group.count === 1 ? 'once, ' : `${group.count} times, last `}
                <RelativeTime time={group.last_seen} />
              </span>
            </span>
            <Link
              href={PAGES.failure(group.id)}
              className="focus-inset foreign line-clamp-2 rounded-sm font-medium row-link hover:underline"
            >
              <CodeText text={group.title} />
            </Link>
            {group.assignee === null ? null : <span className="text-sm text-muted">Assigned to {group.assignee}</span>}
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-3 border-t px-4 py-2 text-sm">
        {hasNextPage ? (
          <Button size="sm" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older failures
          </Button>
        ) : null}
        <Link href={`${PAGES.failures}?${new URLSearchParams({ extension: id })}`} className="link">
          Open in Failures
        </Link>
      </p>
    </>
  );
}

export function FailurePanel({ failure, title }: { failure: Failure; title: string }) {
  const place = locationOf(failure);
  const secret = missingSecretOf(failure);
  const isShared = useIsShared();
  return (
    <section aria-label="Failure" className="flex min-w-0 flex-col gap-3 rounded border border-failed/45 bg-panel p-4">
      <header className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <CircleX className="h-lh w-4 shrink-0 text-failed" />
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold text-failed">{title}</h2>
          <p className="foreign font-medium">
            <CodeText text={messageBesideChecks(failure)} />
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {secret === null ? null : (
            <LinkButton size="sm" variant="primary" href={PAGES.addSecret(secret)} icon={<KeyRound />}>
              Add secret
            </LinkButton>
          )}
          <CopyButton words text={() => failureAsMarkdown(failure)} label="Copy as Markdown" />
          <LinkButton size="sm" href={PAGES.failure(failure.group_id)}>
            Open failure
          </LinkButton>
        </div>
      </header>
      <Note tone="hint">
        <CodeText text={failure.hint} />
      </Note>
      {place === null ? null : (
        <p className="flex min-w-0 items-center gap-1">
          <Link
            href={`${PAGES.extension(failure.extension)}?tab=source${failure.file === null ? '' : `&file=${encodeURIComponent(failure.file)}`}`}
            className="link min-w-0 decoration-line-strong hover:decoration-current"
          >
            <code className="text-sm font-medium break-all">{place}</code>
          </Link>
          <CopyButton text={place} label="Copy location" className="size-6" />
        </p>
      )}
      {failure.failed_checks === undefined ? null : <FailedCheckList checks={failedCheckItems(failure)} />}
      {failure.code_frame === null ? null : <CodeFrame frame={failure.code_frame} file={failure.file} />}
      {failure.stack === null ? null : <StackTrace stack={failure.stack} />}
      {failure.output === null || failure.output.trim() === '' ? null : (
        <div className="flex flex-col gap-1">
          <h3 className="text-sm font-medium text-muted">Output</h3>
          <ScrollPre label="Output" className="foreign max-h-60 overflow-y-auto rounded border bg-subtle p-3 text-sm leading-5">
            {failure.output.trimEnd()}
          </ScrollPre>
        </div>
      )}
      <footer className="tabular flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
        <span>
          <code className="text-xs">{failure.code}</code>
        </span>
        <span>
          {failure.count === 1 ? 'seen once, ' : `seen ${failure.count} times, last `}
          <RelativeTime time={failure.last_seen} />
        </span>
        {failure.count === 1 ? null : (
          <span>
            first <RelativeTime time={failure.first_seen} />
          </span>
        )}
        {isShared && failure.instance !== undefined ? <span className="break-all">on {failure.instance}</span> : null}
        <Link href={PAGES.version(failure.snapshot_version)} className="link">
          version {failure.snapshot_version}
        </Link>
      </footer>
    </section>
  );
}
