import { failuresOf } from '#lib/registry/snapshot.ts';
import type { LoaderState } from './loader-state.ts';

/** The version of the set in which a failure is seen. */
export type FailureVersion = (extension: string, revision: number | null, fingerprint: string) => number;

/** What goes wrong in a process and leaves the set as it is. */
export function currentVersion({ options }: LoaderState): FailureVersion {
  return () => options.registry.current().version;
}

/**
 * A failure makes the next version, unless the newest on disk has it already: what fails again as it did before changes nothing,
 * and a version that is never minted must not be named. Asked before the commit, and read only when something fails.
 */
export function nextVersion({ options }: LoaderState): FailureVersion {
  let known: { readonly newest: number; readonly failures: ReturnType<typeof failuresOf> } | null = null;
  return (extension, revision, fingerprint) => {
    if (known === null) {
      const stored = options.store.snapshots.latest();
      const newest = Math.max(options.registry.current().version, stored?.record.version ?? 0);
      known = { newest, failures: failuresOf(stored?.digest ?? '[]') };
    }
    const before = known.failures.get(extension);
    const isSame = before?.fingerprint === fingerprint && (revision === null || before.revision === revision);
    return isSame ? known.newest : known.newest + 1;
  };
}
