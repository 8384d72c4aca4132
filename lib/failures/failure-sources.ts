import type { ChangedPackage, FailureChanges, FailureSource } from '#lib/contract/failure-group.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import { sourceChanges } from './source-changes.ts';

type Revisions = Pick<Store['revisions'], 'get' | 'list'>;
type Packages = Readonly<Record<string, string>>;

export interface PackageFacts {
  /** With which the failing revision ran; null when that is not known. */
  readonly failing: Packages | null;
  /** With which a revision worked; null likewise. */
  whenGood(extension: string, revision: number): Packages | null;
}

/** What changed since it worked: the sources of the failing revision beside those of the last good one. */
export function readChanges(revisions: Revisions, failure: Failure, servedThen: number | null, facts: PackageFacts): FailureChanges {
  const { extension, revision } = failure;
  const good = revision === null ? servedThen : goodRevision(revisions, failure, revision, servedThen);
  const packages = good === null ? [] : changedPackages(facts.whenGood(extension, good), facts.failing);
  const incomparable = (note: string): FailureChanges => ({
    failing_revision: revision,
    good_revision: good,
    comparable: false,
    note,
    files: [],
    packages,
  });
  if (revision === null) return incomparable('It failed before any content was read, so there are no sources to compare.');
  if (good === null) return incomparable(`No earlier revision of ${extension} has ever loaded, so there is nothing to compare with.`);
  if (good === revision)
    return incomparable(
      `The same sources (revision ${revision}) worked before. What changed lies outside of them: ${packages.length > 0 ? 'packages, as it seems' : 'a variable, a program, a service, or a package that another one needs'}.`,
    );
  const before = sourcesOf(revisions.get(extension, good));
  const failing = revisions.get(extension, revision);
  const after = sourcesOf(failing);
  if (before === null || failing === null || after === null)
    return incomparable(
      `The sources of revision ${before === null ? good : revision} are no longer kept; the newest 20 of each extension are.`,
    );
  const files = sourceChanges(before, after, failure).filter(({ change }) => change !== 'removed' || hasReadAll(failing, failure));
  if (files.length === 0)
    return incomparable(
      `The kept sources of revisions ${good} and ${revision} are the same. What changed lies outside of them, for example in the folder's \`.env\`.`,
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

/** The file of the fault, as it was when it failed. */
export function readSource(revisions: Revisions, failure: Failure): Result<FailureSource> {
  const { extension, revision, file, line, column } = failure;
  if (file === null) return refuse('failure_not_found', 'This failure is in no file, so there is no source to show.');
  const text = revision === null ? undefined : revisions.get(extension, revision)?.sources[file];
  if (text === undefined)
    return refuse('failure_not_found', `The source of ${file} is not kept with this failure. Open the file in the extensions folder.`);
  return ok({ file, revision, line, column, text });
}

/** A revision that loaded and then broke while it ran is compared with the one before it. */
function goodRevision(revisions: Revisions, failure: Failure, failing: number, servedThen: number | null): number | null {
  if (servedThen !== null && (servedThen !== failing || failure.stage !== 'run')) return servedThen;
  const earlier = revisions.list(failure.extension).find((row) => row.revision < failing && row.outcome === 'loaded');
  return earlier?.revision ?? servedThen;
}

/** A build that breaks off at a fault has not come to the files behind it; one that misses a file has read all that there is. */
function hasReadAll(failing: RevisionRow, failure: Failure): boolean {
  return failing.build !== null || failure.code === 'import_unresolved';
}

function sourcesOf(row: RevisionRow | null): Readonly<Record<string, string>> | null {
  return row === null || Object.keys(row.sources).length === 0 ? null : row.sources;
}
