import type { ChangedPackage, FailureChanges, FailureSource, ChangedFile, Hunk } from '#lib/contract/failure-group.ts';
import type { Failure } from '#lib/contract/failure.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import { structuredPatch } from 'diff';

type Revisions = Pick<Store['revisions'], 'get' | 'list'>;
type Packages = Readonly<Record<string, string>>;

export interface PackageFacts {
  /** Versions the failing revision ran with; null when unknown. */
  readonly failing: Packages | null;
  /** Versions a working revision ran with; null when unknown. */
  whenGood(extension: string, revision: number): Promise<Packages | null>;
}

/** What changed since it worked: the sources of the failing revision compared with the last good one. */
export async function readChanges(
  revisions: Revisions,
  failure: Failure,
  servedThen: number | null,
  facts: PackageFacts,
): Promise<FailureChanges> {
  const { extension, revision } = failure;
  const good = revision === null ? servedThen : await goodRevision(revisions, failure, revision, servedThen);
  const packages = good === null ? [] : changedPackages(await facts.whenGood(extension, good), facts.failing);
  const incomparable = (note: string): FailureChanges => ({
    failing_revision: revision,
    good_revision: good,
    comparable: false,
    note,
    files: [],
    packages,
  });
  if (revision === null) return incomparable('It failed before any content was read, so there are no sources to compare.');
  if (good === null) return incomparable('No earlier revision loaded.');
  if (good === revision)
    return incomparable(
      `The same sources (revision ${revision}) worked before. What changed lies outside of them: ${packages.length > 0 ? 'packages, as it seems' : 'a variable, a program, a service, or a package that another one needs'}.`,
    );
  const before = sourcesOf(await revisions.get(extension, good));
  const failing = await revisions.get(extension, revision);
  const after = sourcesOf(failing);
  if (before === null || failing === null || after === null)
    return incomparable(
      `The sources of revision ${before === null ? good : revision} are no longer stored; only the newest 20 of each extension are.`,
    );
  const files = sourceChanges(before, after, failure).filter(({ change }) => change !== 'removed' || hasReadAll(failing, failure));
  if (files.length === 0)
    return incomparable(
      `The stored sources of revisions ${good} and ${revision} are the same. The change is outside of them, for example in the folder's \`.env\`.`,
    );
  return { failing_revision: revision, good_revision: good, comparable: true, note: null, files, packages };
}

function changedPackages(before: Packages | null, after: Packages | null): ChangedPackage[] {
  if (before === null || after === null) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .toSorted()
    .map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }));
}

/** The file with the fault, as it was when it failed. */
export async function readSource(revisions: Revisions, failure: Failure): Promise<Result<FailureSource>> {
  const { extension, revision, file, line, column } = failure;
  if (file === null) return refuse('failure_not_found', 'This failure is in no file, so there is no source to show.');
  const text = revision === null ? undefined : (await revisions.get(extension, revision))?.sources[file];
  if (text === undefined)
    return refuse('failure_not_found', `The source of ${file} is not stored with this failure. Open the file in the extensions folder.`);
  return ok({ file, revision, line, column, text });
}

/** A revision that loaded and then failed at run time is compared with the one before it. */
async function goodRevision(revisions: Revisions, failure: Failure, failing: number, servedThen: number | null): Promise<number | null> {
  if (servedThen !== null && (servedThen !== failing || failure.stage !== 'run')) return servedThen;
  const earlier = (await revisions.list(failure.extension)).find((row) => row.revision < failing && row.outcome === 'loaded');
  return earlier?.revision ?? servedThen;
}

/** A build that stops at a fault has not read the files after it; a build that misses a file has read all others. */
function hasReadAll(failing: RevisionRow, failure: Failure): boolean {
  return failing.build !== null || failure.code === 'import_unresolved';
}

function sourcesOf(row: RevisionRow | null): Readonly<Record<string, string>> | null {
  return row === null || Object.keys(row.sources).length === 0 ? null : row.sources;
}

/**
 * Changes between two sets of sources, the most suspicious first. What can go wrong: two texts so different that a
 * line-by-line comparison takes seconds; then only the file is named.
 */
interface Fault {
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
  // "\ No newline at end of file" is a note, not a line.
  return kind === undefined ? [] : [{ kind, text: text.slice(1) }];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
