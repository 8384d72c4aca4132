'use client';

import { useQuery } from '@tanstack/react-query';
import { BellOff, Check, Eye, RotateCcw, Undo2 } from 'lucide-react';
import Link from 'next/link';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { groupAsMarkdown } from './group-markdown.ts';
import { countInWords, regressionInWords } from './review-words.ts';
import { useReview } from './ReviewProvider.tsx';

/** What it is, how it stands, and what can be done with it. */
export function FailureHead({ group, inPanel }: { group: FailureGroupDetail; inPanel: boolean }) {
  const regression = regressionInWords(group);
  const badges = (
    <>
      <StateBadge state={group.status} />
      {regression === null ? null : (
        <Badge tone="failed" icon={<RotateCcw aria-hidden />}>
          Regression: {regression}
        </Badge>
      )}
    </>
  );
  const note = (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      <Link href={PAGES.extension(group.extension)} className="rounded-sm text-fg underline underline-offset-2">
        {group.extension}
      </Link>
      <code className="text-sm">{group.code}</code>
      <span className="tabular">
        {countInWords(group.count)}
        {', last '}
        <RelativeTime time={group.last_seen} />
      </span>
      {group.count === 1 ? null : (
        <span className="tabular">
          first <RelativeTime time={group.first_seen} />
        </span>
      )}
    </span>
  );
  if (inPanel) {
    return (
      <header className="flex min-w-0 flex-col gap-2">
        <h2 className="pr-8 text-lg font-semibold break-words">
          <Link href={PAGES.failure(group.id)} className="rounded-sm hover:underline">
            <CodeText text={group.title} />
          </Link>
        </h2>
        <div className="flex flex-wrap items-center gap-2">{badges}</div>
        <div className="text-muted">{note}</div>
        <div className="flex flex-wrap items-center gap-2">
          <Actions group={group} />
        </div>
      </header>
    );
  }
  return <PageHead title={<CodeText text={group.title} />} badge={badges} note={note} actions={<Actions group={group} />} />;
}

function Actions({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const { data: changes } = useQuery(failureQueries.changes(group.id));
  return (
    <>
      {review.isOffered ? <ReviewButtons group={group} /> : null}
      <CopyButton words text={() => groupAsMarkdown(group, changes, window.location.origin)} label="Copy as Markdown" className="h-8" />
      <CopyButton words text={() => `${window.location.origin}${PAGES.failure(group.id)}`} label="Copy link" className="h-8" />
    </>
  );
}

function ReviewButtons({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const set = (status: 'open' | 'acknowledged' | 'resolved'): void => review.change([group.id], { status });
  return (
    <>
      {group.status === 'open' ? (
        <Button variant="primary" pending={review.isPending} icon={<Eye aria-hidden />} onClick={() => set('acknowledged')}>
          Acknowledge
        </Button>
      ) : (
        <Button pending={review.isPending} icon={<Undo2 aria-hidden />} onClick={() => set('open')}>
          Open again
        </Button>
      )}
      {group.status === 'resolved' ? null : (
        <Button icon={<Check aria-hidden />} onClick={() => set('resolved')}>
          Resolve
        </Button>
      )}
      {group.status === 'ignored' ? null : (
        <Button icon={<BellOff aria-hidden />} onClick={() => review.askToIgnore([group.id])}>
          Ignore…
        </Button>
      )}
    </>
  );
}
