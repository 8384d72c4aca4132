import { ok, refuse } from '#lib/contract/result.ts';
import type { SnapshotRepository } from '#lib/store/store.ts';
import type { HostSnapshots } from './host.ts';

/** @param newest version of the snapshot that is served now */
export function createHostSnapshots(snapshots: SnapshotRepository, newest: () => number): HostSnapshots {
  return {
    list(filter) {
      const found = snapshots.list(filter);
      return found === null
        ? refuse('query_invalid', '`cursor` is not one that a list of snapshots gave. Leave it out to begin at the newest.')
        : ok(found);
    },
    get(version) {
      const found = snapshots.get(version);
      return found === null
        ? refuse('snapshot_not_found', `There is no snapshot version ${version}, or it is kept no longer. The newest is ${newest()}.`)
        : ok(found);
    },
  };
}
