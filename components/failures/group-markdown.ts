import { failureAsMarkdown } from '#lib/client/failure-markdown.ts';
import type { FailureChanges, FailureGroupDetail } from '#lib/contract/failure-group.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { countInWords, ignoringInWords, regressionInWords } from './review-words.ts';

const HUNK_LINES_MOST = 40;

/** A failure with its review as Markdown, for a chat or a ticket. `origin` makes the permalink whole. */
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
          fencedDiff(hunk.lines.slice(0, HUNK_LINES_MOST).map(({ kind, text }) => `${SIGNS[kind]}${text}`)),
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
