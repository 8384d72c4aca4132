'use client';

import { useQuery } from '@tanstack/react-query';
import { BellOff, Check, ChevronDown, Copy, Eye, KeyRound, RotateCcw, Undo2 } from 'lucide-react';
import Link from 'next/link';
import { Badge, StateBadge } from '#components/ui/Badge.tsx';
import { Button, LinkButton } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { copyText } from '#components/ui/CopyButton.tsx';
import { DropdownMenu, MenuItem } from '#components/ui/DropdownMenu.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { toastCopied } from '#components/ui/Sonner.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { failureAsMarkdown } from '#lib/client/failure-markdown.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { FailureChanges, FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { missingSecretOf } from '#lib/contract/names.ts';
import { useReview } from './ReviewProvider.tsx';
import { countInWords, ignoringInWords, regressionInWords } from './review-words.ts';

const MAX_HUNK_LINES = 40;

export function groupAsMarkdown(group: FailureGroupDetail, changes: FailureChanges | undefined, origin: string): string {
  const regression = regressionInWords(group);
  const status = group.status === 'ignored' ? `ignored ${ignoringInWords(group.ignore_until)}` : group.status;
  const review = [
    `- status: ${status}${regression === null ? '' : ` (regression: ${regression})`}`,
    `- ${countInWords(group.count)}, first ${group.first_seen}, last ${group.last_seen}`,
    `- assignee: ${group.assignee ?? 'nobody'}`,
    `- ${origin}${PAGES.failure(group.id)}`,
  ];
  const packages = (changes?.packages ?? []).map(
    ({ name, before, after }) => `- package \`${name}\`: ${before ?? 'none'} → ${after ?? 'none'}`,
  );
  const hunk = changes?.files[0]?.hunks?.[0];
  const suspect =
    hunk === undefined || changes?.files[0] === undefined
      ? []
      : [
          `What changed in \`${changes.files[0].path}\` between revision ${changes.good_revision} and ${changes.failing_revision}:`,
          fencedDiff(hunk.lines.slice(0, MAX_HUNK_LINES).map(({ kind, text }) => `${SIGNS[kind]}${text}`)),
        ];
  return `${[failureAsMarkdown(group.latest).trimEnd(), review.join('\n'), ...(packages.length === 0 ? [] : [packages.join('\n')]), ...suspect].join('\n\n')}\n`;
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

function fencedDiff(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}

export function FailureHead({ group, inPanel }: { group: FailureGroupDetail; inPanel: boolean }) {
  const regression = regressionInWords(group);
  const badges = (
    <>
      <StateBadge state={group.status} />
      {regression === null ? null : (
        <Badge tone="failed" icon={<RotateCcw />}>
          Regression: {regression}
        </Badge>
      )}
    </>
  );
  const note = (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      <Link href={PAGES.extension(group.extension)} className="link text-fg">
        {group.extension}
      </Link>
      <code className="text-sm">{group.code}</code>
      <span className="tabular">
        {countInWords(group.count)}
        {group.count === 1 ? ', ' : ', last '}
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
  const secret = group.status === 'resolved' ? null : missingSecretOf(group.latest);

  async function copy(text: string, message: string) {
    toastCopied(await copyText(text), message);
  }

  return (
    <>
      {secret === null ? null : (
        <LinkButton href={PAGES.addSecret(secret)} icon={<KeyRound />}>
          Add secret
        </LinkButton>
      )}
      {review.isOffered ? <ReviewButtons group={group} /> : null}
      <DropdownMenu
        trigger={
          <Button icon={<Copy />}>
            Copy
            <ChevronDown className="size-3.5" />
          </Button>
        }
      >
        <MenuItem onSelect={() => void copy(groupAsMarkdown(group, changes, window.location.origin), 'Copied as Markdown.')}>
          Copy as Markdown
        </MenuItem>
        <MenuItem onSelect={() => void copy(`${window.location.origin}${PAGES.failure(group.id)}`, 'Link copied.')}>Copy link</MenuItem>
      </DropdownMenu>
    </>
  );
}

function ReviewButtons({ group }: { group: FailureGroupDetail }) {
  const review = useReview();
  const set = (status: 'open' | 'acknowledged' | 'resolved'): void => review.change([group.id], { status });
  return (
    <>
      {group.status === 'open' ? (
        <Button variant="primary" pending={review.isPending} icon={<Eye />} onClick={() => set('acknowledged')}>
          Acknowledge
        </Button>
      ) : (
        <Button pending={review.isPending} icon={<Undo2 />} onClick={() => set('open')}>
          Open again
        </Button>
      )}
      {group.status === 'resolved' ? null : (
        <Button icon={<Check />} onClick={() => set('resolved')}>
          Resolve
        </Button>
      )}
      {group.status === 'ignored' ? null : (
        <Button icon={<BellOff />} onClick={() => review.askToIgnore([group.id])}>
          Ignore…
        </Button>
      )}
    </>
  );
}
