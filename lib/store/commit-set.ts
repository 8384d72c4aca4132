import type { Database } from './database.ts';
import { createExtensionRepository } from './extension-repository.ts';
import { createFailureRepository } from './failure-repository.ts';
import { createRevisionRepository } from './revision-repository.ts';
import { createSnapshotRepository } from './snapshot-repository.ts';
import type { Store } from './store.ts';

/** A host killed during a load must not leave a revision without its failure, or a failure without its snapshot. */
export function createCommitSet(database: Database): Store['commitSet'] {
  return (work) =>
    database.write((db) => {
      const revisions = createRevisionRepository(db);
      const extensions = createExtensionRepository(db);
      const snapshots = createSnapshotRepository(db, database.dialect);
      return work({
        revisions,
        extensions,
        snapshots,
        insertRevision: revisions.insertRevision,
        updateRevision: revisions.updateRevision,
        putExtension: extensions.putExtension,
        recordFailure: createFailureRepository(db).recordFailure,
        insertSnapshot: snapshots.insertSnapshot,
      });
    });
}
