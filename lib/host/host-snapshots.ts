import { ok, refuse } from '#lib/contract/result.ts';
import type { SnapshotRepository } from '#lib/store/store.ts';
import type { HostSnapshots } from './host.ts';

/** @param newest version of the served snapshot */
export function createHostSnapshots(snapshots: SnapshotRepository, newest: () => number): HostSnapshots {
  return {
    async list(filter) {
      const found = await snapshots.list(filter);
      return found === null
        ? refuse('query_invalid', '`cursor` is not one that a list of snapshots gave. Leave it out to begin at the newest.')
        : ok(found);
    },
    async get(version) {
      const found = await snapshots.get(version);
      return found === null
        ? refuse('snapshot_not_found', `Snapshot version ${version} not found; it may have been removed. The newest is ${newest()}.`)
        : ok(found);
    },
  };
}
