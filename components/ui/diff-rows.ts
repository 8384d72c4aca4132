import { diffLines, diffWordsWithSpace } from 'diff';
import type { ChangeObject } from 'diff';

/** Part of a line; `changed` if the other side differs. */
export interface DiffPart {
  readonly at: number;
  readonly text: string;
  readonly changed: boolean;
}

/** A line of one side; numbers start at 1. */
export interface DiffLine {
  readonly number: number;
  readonly parts: readonly DiffPart[];
}

export type DiffRow =
  | { readonly kind: 'same'; readonly before: DiffLine; readonly after: DiffLine }
  | { readonly kind: 'changed'; readonly before: DiffLine | null; readonly after: DiffLine | null };

/** Rows, or a count of folded equal lines. */
export type DiffBlock =
  | { readonly kind: 'rows'; readonly at: number; readonly rows: readonly DiffRow[] }
  | { readonly kind: 'folded'; readonly at: number; readonly rows: readonly DiffRow[] };

const CONTEXT = 3;
/** Limit of the comparison: two unrelated texts would take seconds. */
const EDITS_MOST = 2_000;
/** Beyond it, this many lines are compared from the first difference on, which bounds the edits. */
const FIRST_LINES = EDITS_MOST / 2;
const WORDS_LINE_MOST = 2_000;

export interface DiffRows {
  readonly rows: readonly DiffRow[];
  /** Lines per side after the rows that were not compared; null if all were. */
  readonly left: { readonly before: number; readonly after: number } | null;
}

/** Aligned lines of both texts; of very different texts only the first differences. */
export function diffRows(before: string, after: string): DiffRows {
  const changes = diffLines(endLine(before), endLine(after), { maxEditLength: EDITS_MOST });
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
        before: old === undefined ? null : { number: (beforeNumber += 1), parts: parts?.before ?? whole(old, true) },
        after: next === undefined ? null : { number: (afterNumber += 1), parts: parts?.after ?? whole(next, true) },
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
        const parts = whole(line, false);
        rows.push({ kind: 'same', before: { number: (beforeNumber += 1), parts }, after: { number: (afterNumber += 1), parts } });
      }
    }
  }
  flush();
  return rows;
}

/** Folds long runs of equal rows, except some context around each change. */
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

function whole(text: string, changed: boolean): readonly DiffPart[] {
  return [{ at: 0, text, changed }];
}

function wordParts(before: string, after: string): { before: readonly DiffPart[]; after: readonly DiffPart[] } | null {
  if (before.length > WORDS_LINE_MOST || after.length > WORDS_LINE_MOST) return null;
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
