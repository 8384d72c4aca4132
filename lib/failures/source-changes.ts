import { structuredPatch } from 'diff';
import type { ChangedFile, Hunk } from '#lib/contract/failure-group.ts';

/**
 * What changed between two sets of sources, the most suspicious first. What can go wrong: two texts so different that comparing
 * them line by line takes seconds; then the file is named, without lines.
 */
export interface Fault {
  readonly file: string | null;
  readonly line: number | null;
}

type Sources = Readonly<Record<string, string>>;

const CONTEXT_LINES = 3;
const EDITS_MOST = 5_000;
const COMPARE_MOST_MS = 250;
const FILES_MOST = 100;
const LINES_MOST = 2_000;

/** @param fault where the failing sources broke; its hunk and its file come first */
export function sourceChanges(before: Sources, after: Sources, fault: Fault): ChangedFile[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  const files = paths.map((path) => changedFile(path, before[path], after[path], fault));
  return files.toSorted((a, b) => Number(b.guilty) - Number(a.guilty) || compare(a.path, b.path)).slice(0, FILES_MOST);
}

function changedFile(path: string, before: string | undefined, after: string | undefined, fault: Fault): ChangedFile {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const isFaulty = fault.file === path;
  const patch = structuredPatch(path, path, before ?? '', after ?? '', '', '', {
    context: CONTEXT_LINES,
    maxEditLength: EDITS_MOST,
    timeout: COMPARE_MOST_MS,
  });
  if (patch === undefined) return { path, change, guilty: isFaulty, added: 0, removed: 0, hunks: null };
  let added = 0;
  let removed = 0;
  let shown = 0;
  const hunks: Hunk[] = [];
  for (const hunk of patch.hunks) {
    const lines = hunk.lines.flatMap((text) => toLine(text));
    added += lines.filter((line) => line.kind === 'added').length;
    removed += lines.filter((line) => line.kind === 'removed').length;
    const holdsFault =
      isFaulty && fault.line !== null && fault.line >= hunk.newStart && fault.line < hunk.newStart + Math.max(1, hunk.newLines);
    if (shown < LINES_MOST || holdsFault)
      hunks.push({ old_start: hunk.oldStart, new_start: hunk.newStart, guilty: holdsFault, lines: lines.slice(0, LINES_MOST) });
    shown += lines.length;
  }
  return { path, change, guilty: isFaulty, added, removed, hunks: hunks.toSorted((a, b) => Number(b.guilty) - Number(a.guilty)) };
}

function toLine(text: string): Hunk['lines'] {
  const kind = ({ '+': 'added', '-': 'removed', ' ': 'same' } as const)[text.charAt(0)];
  // "\ No newline at end of file" is a remark, no line.
  return kind === undefined ? [] : [{ kind, text: text.slice(1) }];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
