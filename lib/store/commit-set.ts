import type { NewestSnapshot, SetWrites, Store } from './store.ts';
import type { WrittenSnapshots } from './snapshot-repository.ts';
import type { WriteQueue } from './write-queue.ts';

/** A host killed during a load must not leave a revision without its failure, or a failure without its snapshot. */
export function createCommitSet(
  queue: WriteQueue,
  writes: Omit<SetWrites, 'insertSnapshot'>,
  snapshots: WrittenSnapshots,
): Store['commitSet'] {
  return (work) => {
    let newest: NewestSnapshot | null = null;
    const attempt = (): ReturnType<typeof work> => {
      newest = null;
      return work({
        ...writes,
        insertSnapshot(record, digest) {
          snapshots.insertSnapshot(record, digest);
          newest = { record, digest };
        },
      });
    };
    return queue.run(attempt, {
      onCommitted() {
        if (newest !== null) snapshots.noteNewest(newest);
      },
    });
  };
}
