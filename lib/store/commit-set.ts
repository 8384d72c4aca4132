import type { NewestSnapshot, SetWrites, Store } from './store.ts';
import type { WrittenSnapshots } from './snapshot-repository.ts';
import type { WriteQueue } from './write-queue.ts';

const NEEDS_TRANSACTION = new Error('a write outside of a transaction');

function refuse(): never {
  throw NEEDS_TRANSACTION;
}

/** Tells a change that writes from one that only reads. */
const NO_WRITES: SetWrites = {
  insertRevision: refuse,
  updateRevision: refuse,
  putExtension: refuse,
  recordFailure: refuse,
  insertSnapshot: refuse,
};

/** A host that is killed in the middle of a load must not find a revision without its failure, or a failure without its snapshot. */
export function createCommitSet(
  queue: WriteQueue,
  writes: Omit<SetWrites, 'insertSnapshot'>,
  snapshots: WrittenSnapshots,
): Store['commitSet'] {
  return async (work) => {
    try {
      return work(NO_WRITES);
    } catch (error) {
      if (error !== NEEDS_TRANSACTION) throw error;
    }
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
