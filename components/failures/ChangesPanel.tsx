'use client';

import { ScrollPre } from '#components/ui/ScrollPre.tsx';
import { QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { Tokens } from '#components/ui/CodeBlock.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { languageOf, useHighlighted } from '#components/ui/highlight.ts';
import { cx } from '#components/ui/cx.ts';
import { failureQueries } from '#lib/client/failure-queries.ts';
import type { ChangedFile, ChangedPackage, FailureChanges, FailureGroupDetail, Hunk } from '#lib/contract/failure-group.ts';

interface NumberedLine {
  readonly key: string;
  readonly kind: Hunk['lines'][number]['kind'];
  readonly text: string;
  /** Line numbers before and after; null where the line does not exist. */
  readonly before: number | null;
  readonly after: number | null;
}

export function numberLines(hunk: Hunk): NumberedLine[] {
  let before = hunk.old_start;
  let after = hunk.new_start;
  return hunk.lines.map(({ kind, text }) => {
    const line = { kind, text, before: kind === 'added' ? null : before, after: kind === 'removed' ? null : after };
    if (kind !== 'added') before += 1;
    if (kind !== 'removed') after += 1;
    return { ...line, key: `${line.before ?? ''}-${line.after ?? ''}` };
  });
}

const OPEN_AT_FIRST = 3;
const CHANGE_WORDS = { added: 'new', removed: 'removed', changed: 'changed' } as const;

export function ChangesPanel({ group }: { group: FailureGroupDetail }) {
  const { data, error, refetch, isFetching } = useQuery(failureQueries.changes(group.id));
  return (
    <Panel title="What changed since it worked" flush note={data === undefined || !data.comparable ? undefined : summary(data)}>
      {data === undefined ? (
        <QueryState query={{ error, refetch, isFetching }} what="the changes" lines={4} inset />
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
          <Chevron className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 font-mono break-all">{file.path}</span>
          <span className="text-muted">{CHANGE_WORDS[file.change]}</span>
          {file.guilty ? <Badge className="border-failed/45 text-failed">failing line</Badge> : null}
          <span className="tabular ml-auto flex gap-2">
            <span className="text-ok">+{file.added}</span>
            <span className="text-failed">−{file.removed}</span>
          </span>
        </button>
      </h3>
      {!open ? null : file.hunks === null ? (
        <p className="px-4 pb-3 text-sm text-muted">Too many differences for a line-by-line diff</p>
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

const MARKS = {
  same: { row: '', sign: ' ', words: '' },
  added: { row: 'bg-ok-soft', sign: '+', words: 'added ' },
  removed: { row: 'bg-failed-soft', sign: '−', words: 'removed ' },
} as const;

function HunkView({ hunk, file, faultLine }: { hunk: Hunk; file: string; faultLine: number | null }) {
  const lines = useMemo(() => numberLines(hunk), [hunk]);
  const coloured = useHighlighted(
    useMemo(() => hunk.lines.map((line) => line.text).join('\n'), [hunk]),
    languageOf(file),
  );
  const width = Math.max(2, String(lines.at(-1)?.after ?? 0).length, String(lines.at(-1)?.before ?? 0).length);
  const at = `from line ${hunk.new_start}`;
  return (
    <div className="min-w-0 border-b last:border-b-0">
      <p className={cx('px-4 py-1 text-xs', hunk.guilty ? 'bg-failed-soft font-medium text-failed' : 'bg-subtle text-muted')}>
        {hunk.guilty ? `Most likely cause: contains the failing line (${at})` : `From line ${hunk.new_start}`}
      </p>
      <ScrollPre label={`Changes of ${file}, ${at}`} className="overflow-x-auto py-1 text-sm leading-5">
        <code className="block w-max min-w-full">
          {lines.map((line, index) => {
            const mark = MARKS[line.kind];
            const isFault = line.after !== null && line.after === faultLine;
            const tokens = coloured?.[index];
            return (
              <span key={line.key} className={cx('block border-l-2 pr-4', mark.row, isFault ? 'border-failed' : 'border-transparent')}>
                <span aria-hidden className={cx('inline-block pl-2 select-none', isFault ? 'font-semibold text-failed' : 'text-muted')}>
                  {String(line.before ?? '').padStart(width)} {String(line.after ?? '').padStart(width)} {mark.sign}{' '}
                </span>
                <span className="sr-only">
                  {isFault ? 'fault, ' : ''}
                  {mark.words}
                </span>
                {tokens === undefined ? line.text : <Tokens line={tokens} />}
                {'\n'}
              </span>
            );
          })}
        </code>
      </ScrollPre>
    </div>
  );
}
