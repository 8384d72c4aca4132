import type { SnapshotRepository } from '#lib/store/store.ts';
import type { LoaderState, StoredSnapshot } from './loader-state.ts';

/** The newest stored version. Its record lists all extensions, so it is read only if another server may have written it. */
export async function newestSnapshot(state: LoaderState, snapshots: SnapshotRepository): Promise<StoredSnapshot | null> {
  const version = await snapshots.latestVersion();
  if (version === null) return null;
  if (state.newest?.record.version === version) return state.newest;
  return snapshots.latest();
}
