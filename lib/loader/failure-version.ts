import { failuresOf } from '#lib/registry/snapshot.ts';
import type { LoaderState } from './loader-state.ts';
import { newestSnapshot } from './newest-snapshot.ts';

/** The version of the set that contains a failure. */
export type FailureVersion = (extension: string, revision: number | null, fingerprint: string) => Promise<number>;

/** Failures in a process, which leave the set unchanged. */
export function currentVersion({ options }: LoaderState): FailureVersion {
  return async () => options.registry.current().version;
}

/**
 * A failure creates the next version, unless the newest stored version contains it already: a repeated failure changes
 * nothing, and a version that is never created must not be referenced. Called before the commit, and only when
 * something fails.
 */
export function nextVersion(state: LoaderState): FailureVersion {
  const { options } = state;
  let known: { readonly newest: number; readonly failures: ReturnType<typeof failuresOf> } | null = null;
  return async (extension, revision, fingerprint) => {
    if (known === null) {
      const stored = await newestSnapshot(state, options.store.snapshots);
      const newest = Math.max(options.registry.current().version, stored?.record.version ?? 0);
      known = { newest, failures: failuresOf(stored?.digest ?? new Map()) };
    }
    const before = known.failures.get(extension);
    // A server that follows another one makes no version.
    if (options.peers.others().length > 0) return known.newest;
    const isSame = before?.fingerprint === fingerprint && (revision === null || before.revision === revision);
    return isSame ? known.newest : known.newest + 1;
  };
}
