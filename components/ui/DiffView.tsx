'use client';

import { UnfoldVertical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type ChangeObject, diffLines, diffWordsWithSpace } from 'diff';
import { cx } from './cx.ts';
import { inThousands } from './numbers.ts';

interface DiffViewProps {
  before: string;
  after: string;
  beforeName: string;
  afterName: string;
  label: string;
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
                  <UnfoldVertical className="size-3.5" />
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
  const style = mark === null ? null : SIDES[mark];
  return (
    <span
      role="cell"
      className={cx('grid min-w-0 grid-cols-[3rem_1rem_minmax(0,1fr)] pr-2', line === null ? 'bg-panel' : style?.line, className)}
    >
      <span aria-hidden className="tabular pr-2 text-right text-muted select-none">
        {line?.number}
      </span>
      <span aria-hidden className="text-muted select-none">
        {line === null ? null : mark}
      </span>
      <span className="min-w-0 break-words whitespace-pre-wrap">
        {style === null || line === null ? null : <span className="sr-only">{style.word}</span>}
        {line?.parts.map((part) =>
          part.changed && line.parts.length > 1 && style !== null ? (
            <span key={part.at} className={cx('rounded-xs', style.part)}>
              <PartText part={part} />
            </span>
          ) : (
            <PartText key={part.at} part={part} />
          ),
        )}
      </span>
    </span>
  );
}

/** Deep indentation takes at most a part of the line, so that its text stays readable on narrow screens. */
function PartText({ part: { at, text } }: { part: DiffPart }) {
  const indentation = at === 0 ? (DEEP_INDENTATION.exec(text)?.[0] ?? '') : '';
  if (indentation === '') return text;
  return (
    <>
      <span className="inline-block max-w-[35%] overflow-hidden align-bottom whitespace-pre">{indentation}</span>
      {text.slice(indentation.length)}
    </>
  );
}

const DEEP_INDENTATION = /^[ \t]{9,}/;

function lineCount(lines: number): string {
  return `${inThousands(lines)} ${lines === 1 ? 'line' : 'lines'}`;
}

/** Part of a line; `changed` if the other side differs. */
interface DiffPart {
  readonly at: number;
  readonly text: string;
  readonly changed: boolean;
}

/** A line of one side; numbers start at 1. */
export interface DiffLine {
  readonly number: number;
  readonly parts: readonly DiffPart[];
}

type DiffRow =
  | { readonly kind: 'same'; readonly before: DiffLine; readonly after: DiffLine }
  | { readonly kind: 'changed'; readonly before: DiffLine | null; readonly after: DiffLine | null };

/** Rows, or a count of folded equal lines. */
type DiffBlock =
  | { readonly kind: 'rows'; readonly at: number; readonly rows: readonly DiffRow[] }
  | { readonly kind: 'folded'; readonly at: number; readonly rows: readonly DiffRow[] };

const CONTEXT = 3;
/** Limit of the comparison: two unrelated texts would take seconds. */
const MAX_EDITS = 2_000;
/** Beyond it, this many lines are compared from the first difference on, which bounds the edits. */
const FIRST_LINES = MAX_EDITS / 2;
const MAX_WORDS_LINE = 2_000;

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  /** Lines per side after the rows that were not compared; null if all were. */
  readonly left: { readonly before: number; readonly after: number } | null;
}

/** Aligned lines of both texts; of very different texts only the first differences. */
export function diffRows(before: string, after: string): DiffRows {
  const changes = diffLines(endLine(before), endLine(after), { maxEditLength: MAX_EDITS });
  if (changes !== undefined) return { rows: rowsOf(changes), left: null };
  const [old, next] = [before.split('\n'), after.split('\n')];
  const shared = old.findIndex((line, at) => line !== next[at]);
  const until = (shared === -1 ? old.length : shared) + FIRST_LINES;
  const first = [old, next].map((lines) => endLine(lines.slice(0, until).join('\n')));
  return {
    rows: rowsOf(diffLines(first[0] ?? '', first[1] ?? '')),
    left: { before: Math.max(0, old.length - until), after: Math.max(0, next.length - until) },
  };
}

function rowsOf(changes: readonly ChangeObject<string>[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let beforeNumber = 0;
  let afterNumber = 0;
  let removed: string[] = [];
  let added: string[] = [];

  function flush(): void {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const old = removed[index];
      const next = added[index];
      const parts = old !== undefined && next !== undefined ? wordParts(old, next) : null;
      rows.push({
        kind: 'changed',
        before: old === undefined ? null : { number: (beforeNumber += 1), parts: parts?.before ?? singlePart(old, true) },
        after: next === undefined ? null : { number: (afterNumber += 1), parts: parts?.after ?? singlePart(next, true) },
      });
    }
    removed = [];
    added = [];
  }

  for (const change of changes) {
    const lines = change.value.split('\n').slice(0, -1);
    if (change.removed) removed.push(...lines);
    else if (change.added) added.push(...lines);
    else {
      flush();
      for (const line of lines) {
        const parts = singlePart(line, false);
        rows.push({ kind: 'same', before: { number: (beforeNumber += 1), parts }, after: { number: (afterNumber += 1), parts } });
      }
    }
  }
  flush();
  return rows;
}

export function foldRows(rows: readonly DiffRow[]): readonly DiffBlock[] {
  const near = rows.map(() => false);
  rows.forEach((row, index) => {
    if (row.kind === 'changed') near.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  const blocks: DiffBlock[] = [];
  for (let from = 0; from < rows.length;) {
    const shown = near[from] ?? false;
    let to = from;
    while (to < rows.length && near[to] === shown) to += 1;
    // Folding one or two lines saves nothing.
    const kind = shown || to - from <= 2 ? 'rows' : 'folded';
    blocks.push({ kind, at: from, rows: rows.slice(from, to) });
    from = to;
  }
  return blocks;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function singlePart(text: string, changed: boolean): readonly DiffPart[] {
  return [{ at: 0, text, changed }];
}

function wordParts(before: string, after: string): { before: readonly DiffPart[]; after: readonly DiffPart[] } | null {
  if (before.length > MAX_WORDS_LINE || after.length > MAX_WORDS_LINE) return null;
  const sides: { before: DiffPart[]; after: DiffPart[] } = { before: [], after: [] };
  const push = (side: DiffPart[], text: string, changed: boolean): void => {
    const last = side.at(-1);
    side.push({ at: last === undefined ? 0 : last.at + last.text.length, text, changed });
  };
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (!added) push(sides.before, value, removed);
    if (!removed) push(sides.after, value, added);
  }
  return sides;
}
