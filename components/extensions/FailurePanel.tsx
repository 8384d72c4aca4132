'use client';

import { CircleX, KeyRound, Lightbulb } from 'lucide-react';
import Link from 'next/link';
import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { LinkButton } from '#components/ui/LinkButton.tsx';
import { CodeFrame, FailedCheckList, StackTrace } from '#components/ui/FailureCause.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { failedCheckItems, failureAsMarkdown, messageBesideChecks, placeOf } from '#lib/client/failure-markdown.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import type { Failure } from '#lib/contract/failure.ts';
import { missingSecretOf } from '#lib/contract/missing-secret.ts';
import { PAGES } from '#lib/contract/paths.ts';

export function FailurePanel({ failure, title }: { failure: Failure; title: string }) {
  const place = placeOf(failure);
  const secret = missingSecretOf(failure);
  const isShared = useIsShared();
  return (
    <section aria-label="Failure" className="flex min-w-0 flex-col gap-3 rounded border border-failed/45 bg-panel p-4">
      <header className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <CircleX className="mt-0.5 size-4 shrink-0 text-failed" />
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
      <p className="foreign flex gap-2 rounded-sm bg-subtle px-3 py-2">
        <Lightbulb className="mt-0.5 size-4 shrink-0 text-degraded" />
        <span className="min-w-0">
          <CodeText text={failure.hint} />
        </span>
      </p>
      {place === null ? null : (
        <p className="flex min-w-0 items-center gap-1">
          <Link
            href={`${PAGES.extension(failure.extension)}?tab=source${failure.file === null ? '' : `&file=${encodeURIComponent(failure.file)}`}`}
            className="min-w-0 rounded-sm underline decoration-line-strong underline-offset-2 hover:decoration-current"
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
        <Link href={PAGES.version(failure.snapshot_version)} className="rounded-sm underline underline-offset-2">
          version {failure.snapshot_version}
        </Link>
      </footer>
    </section>
  );
}
