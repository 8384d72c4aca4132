'use client';

import { UnfoldVertical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { cx } from './cx.ts';
import { diffRows, foldRows } from './diff-rows.ts';
import type { DiffLine, DiffRow } from './diff-rows.ts';
import { inThousands } from './numbers.ts';

export interface DiffViewProps {
  before: string;
  after: string;
  /** Labels of both sides for screen readers: "revision 3", "revision 4". */
  beforeName: string;
  afterName: string;
  /** Label of the diff. */
  label: string;
  /** Shown if both are equal. */
  same: string;
}

/** Side by side on wide screens, else stacked; equal lines are folded. */
export function DiffView({ before, after, beforeName, afterName, label, same }: DiffViewProps) {
  const { blocks, left } = useMemo(() => {
    const compared = diffRows(before, after);
    return { blocks: foldRows(compared.rows), left: compared.left };
  }, [before, after]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());

  if (before === after) return <p className="px-1 py-3 text-sm text-muted">{same}</p>;
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="focus-inset @container relative max-h-[70dvh] min-w-0 overflow-auto rounded border bg-subtle font-mono text-xs leading-5"
    >
      <div role="table" aria-label={label}>
        <div role="row" className="sr-only">
          <span role="columnheader">{beforeName}</span>
          <span role="columnheader">{afterName}</span>
        </div>
        {blocks.map((block) =>
          block.kind === 'folded' && !opened.has(block.at) ? (
            <div key={block.at} role="row">
              <span role="cell" aria-colspan={2} className="block">
                <button
                  type="button"
                  onClick={() => setOpened(new Set([...opened, block.at]))}
                  className="focus-inset flex w-full items-center gap-2 bg-panel px-3 py-1 text-left font-sans text-muted hover:bg-hover hover:text-fg"
                >
                  <UnfoldVertical aria-hidden className="size-3.5" />
                  {block.rows.length} equal lines
                </button>
              </span>
            </div>
          ) : (
            block.rows.map((row) => <Row key={`${row.before?.number ?? ''}-${row.after?.number ?? ''}`} row={row} />)
          ),
        )}
      </div>
      {left === null ? null : (
        <p className="sticky left-0 border-t bg-panel px-3 py-2 font-sans text-sm text-muted">
          Too many differences for a full line-by-line diff. Not compared: {lineCount(left.before)} of {beforeName} and{' '}
          {lineCount(left.after)} of {afterName}.
        </p>
      )}
    </div>
  );
}

function Row({ row }: { row: DiffRow }) {
  const same = row.kind === 'same';
  return (
    <div role="row" className="grid @3xl:grid-cols-2">
      <Side
        line={row.before}
        mark={same ? null : '−'}
        className={cx(same && '@max-3xl:hidden', row.before === null && '@max-3xl:hidden')}
      />
      <Side line={row.after} mark={same ? null : '+'} className={row.after === null ? '@max-3xl:hidden' : ''} />
    </div>
  );
}

const SIDES = {
  '−': { word: 'removed: ', line: 'bg-failed-soft', part: 'bg-failed/25' },
  '+': { word: 'added: ', line: 'bg-ok-soft', part: 'bg-ok/25' },
} as const;

function Side({ line, mark, className }: { line: DiffLine | null; mark: keyof typeof SIDES | null; className: string }) {
  const look = mark === null ? null : SIDES[mark];
  return (
    <span
      role="cell"
      className={cx('grid min-w-0 grid-cols-[3rem_1rem_minmax(0,1fr)] pr-2', line === null ? 'bg-panel' : look?.line, className)}
    >
      <span aria-hidden className="tabular pr-2 text-right text-muted select-none">
        {line?.number}
      </span>
      <span aria-hidden className="text-muted select-none">
        {line === null ? null : mark}
      </span>
      <span className="min-w-0 break-words whitespace-pre-wrap">
        {look === null || line === null ? null : <span className="sr-only">{look.word}</span>}
        {line?.parts.map((part) =>
          part.changed && line.parts.length > 1 && look !== null ? (
            <span key={part.at} className={cx('rounded-xs', look.part)}>
              {part.text}
            </span>
          ) : (
            part.text
          ),
        )}
      </span>
    </span>
  );
}

function lineCount(lines: number): string {
  return `${inThousands(lines)} ${lines === 1 ? 'line' : 'lines'}`;
}
