import type { NameChanges, Revision } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { readDescription } from '#lib/loader/build-record.ts';
import { compareTools } from '#lib/schema/compare-tools.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';

/**
 * What each revision of a list changed. The page of an extension asks for it whenever anything happens to the extension, and
 * sources may be large: which files differ is kept under the hashes of both contents, so that each pair is read once.
 */
export interface RevisionChanges {
  /** Takes all revisions of an extension, newest first; the same order comes back. */
  of(rows: readonly RevisionRow[]): readonly Pick<Revision, 'files_changed' | 'tools_changed'>[];
}

const PAIRS_KEPT = 1_000;

export function createRevisionChanges(revisions: Pick<Store['revisions'], 'get'>): RevisionChanges {
  const known = new Map<string, Omit<NameChanges, 'since'>>();

  function filesChanged(before: RevisionRow, after: RevisionRow): Revision['files_changed'] {
    const key = `${before.contentHash} ${after.contentHash}`;
    const kept = known.get(key);
    if (kept !== undefined) return { since: before.revision, ...kept };
    const old = revisions.get(before.extension, before.revision)?.sources ?? {};
    const next = revisions.get(after.extension, after.revision)?.sources ?? {};
    if (Object.keys(old).length === 0 || Object.keys(next).length === 0) return null;
    const changes = {
      added: Object.keys(next).filter((file) => !Object.hasOwn(old, file)),
      // A build that failed has not read all that it stands on.
      removed: after.build === null ? [] : Object.keys(old).filter((file) => !Object.hasOwn(next, file)),
      changed: Object.keys(next).filter((file) => Object.hasOwn(old, file) && old[file] !== next[file]),
    };
    const oldest = known.keys().next().value;
    if (known.size >= PAIRS_KEPT && oldest !== undefined) known.delete(oldest);
    known.set(key, changes);
    return { since: before.revision, ...changes };
  }

  return {
    of: (rows) =>
      rows.map((row, index) => {
        const built = rows.slice(index + 1, LIMITS.revisionsKept).find(({ build }) => build !== null);
        const described = row.description === null ? undefined : rows.slice(index + 1).find(({ description }) => description !== null);
        return {
          files_changed: built === undefined ? null : filesChanged(built, row),
          tools_changed: described === undefined ? null : toolsChanged(described, row),
        };
      }),
  };
}

function toolsChanged(before: RevisionRow, after: RevisionRow): Revision['tools_changed'] {
  const since = before.revision;
  if (before.description === after.description) return { since, added: [], removed: [], changed: [], breaking: false };
  const old = readDescription(before.description);
  const next = readDescription(after.description);
  if (old === null || next === null) return null;
  const changes = compareTools(old.tools, next.tools);
  const named = (kind: (typeof changes)[number]['change']) => changes.filter(({ change }) => change === kind).map(({ tool }) => tool);
  return {
    since,
    added: named('added'),
    removed: named('removed'),
    changed: named('changed'),
    breaking: changes.some(({ breaking }) => breaking),
  };
}
