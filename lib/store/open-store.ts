import path from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import { createAccountRepository } from './account-repository.ts';
import { createAuditRepository } from './audit-repository.ts';
import { createCallJournal } from './call-journal.ts';
import { createCallRepository } from './call-repository.ts';
import { createChannelRepository } from './channel-repository.ts';
import { createCommitSet } from './commit-set.ts';
import { createCheckpoints } from './checkpoints.ts';
import { readCounter, writeCounter } from './counters.ts';
import { damaged, LARGE_TABLES, openDatabaseFile } from './database-file.ts';
import { createDiskSync } from './disk-sync.ts';
import type { DiskSync } from './disk-sync.ts';
import { createEventIds } from './event-ids.ts';
import { createExtensionRepository } from './extension-repository.ts';
import { createFailureGroupRepository } from './failure-group-repository.ts';
import { createFailureRepository } from './failure-repository.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { checkPages } from './page-check.ts';
import { createFreeSpace } from './free-space.ts';
import { createLogRoom } from './log-room.ts';
import { explainUnusableRecords, openRecordFiles } from './record-file.ts';
import type { RecordFiles } from './record-file.ts';
import { createRecordLog } from './record-log.ts';
import { createQueryBuilder } from './query-builder.ts';
import { createRetention } from './retention.ts';
import { createRevisionRepository } from './revision-repository.ts';
import { createSavedCallRepository } from './saved-call-repository.ts';
import { createSearchIndex } from './search-index.ts';
import { createSnapshotRepository } from './snapshot-repository.ts';
import { createConnection } from './sqlite-connection.ts';
import { diskFull, explainDiskError, isStorageError, storeClosed } from './storage-error.ts';
import type { OpenStore, StorageError } from './store.ts';
import { createTokenRepository } from './token-repository.ts';
import { createWriteQueue } from './write-queue.ts';

export interface OpenStoreOptions {
  /** Absolute path of the database; its folder is created when missing. */
  readonly file: string;
  /** How long a write waits for a lock that another process holds before it is refused. */
  readonly lockedMs?: number;
  /** Above this size the large tables are examined before a start no more, and beside the work after an unclean stop. */
  readonly fullCheckBytes?: number;
  /** Absent: the disk that holds the database. */
  readonly disk?: DiskSync;
  /** Absent: two beside the database. */
  readonly callRecords?: RecordFiles;
  now?(): Date;
}

/** In milliseconds: with many calls at a time each would ask the database anew whether it takes writes. */
const PROVEN_MS = 5;

/** Opens or makes the database. The store owns the file until `close`. */
export function openStore({
  file,
  lockedMs = LIMITS.storageLockedMs,
  fullCheckBytes,
  disk = createDiskSync(`${file}-wal`),
  callRecords,
  now = () => new Date(),
}: OpenStoreOptions): OpenStore {
  const db = createQueryBuilder();
  const opened = openDatabaseFile(file, db, lockedMs, fullCheckBytes);
  if (!opened.ok) return opened;

  let files: RecordFiles;
  try {
    files = callRecords ?? openRecordFiles(file);
  } catch (error) {
    opened.db.close();
    return { ok: false, reason: explainUnusableRecords(file, error) };
  }
  const connection = createConnection(opened.db, path.dirname(file));
  const explain = (error: unknown): StorageError => (isStorageError(error) ? error : explainDiskError(error, path.dirname(file)));
  const log = createRecordLog({
    files,
    key: readCounter(connection, db, 'call_records_key'),
    released: readCounter(connection, db, 'call_records_filed'),
    closedError: storeClosed,
  });
  const queue = createWriteQueue({
    connection,
    disk,
    room: createLogRoom(`${file}-wal`),
    checkpoints: createCheckpoints(file, connection, db),
    space: createFreeSpace(path.dirname(file)),
    full: () => diskFull(path.dirname(file)),
    explain,
    lockedMs,
    provenMs: PROVEN_MS,
    probe: () => writeCounter(connection, db, 'event_ids', readCounter(connection, db, 'event_ids')),
  });
  const journal = createCallJournal({ connection, db, queue, log, sync: () => disk.settled(), explain });
  const search = createSearchIndex(connection, db, queue, journal);
  const revisions = createRevisionRepository(connection, db);
  const extensions = createExtensionRepository(connection, db);
  const failures = createFailureRepository(connection, db);
  const snapshots = createSnapshotRepository(connection, db);
  const eventIds = createEventIds(connection, db, queue);
  const pages = opened.isDoubtful ? checkPages(file, LARGE_TABLES) : null;
  let damage: string | null = null;
  const examined = pages === null ? null : pages.fault.then((fault) => (damage = fault === null ? null : damaged(file, fault)));
  let closing: Promise<void> | null = null;

  async function close(): Promise<void> {
    await pages?.close();
    await queue.close();
    await journal.close();
    search.close();
    connection.close();
  }

  function health() {
    if (damage !== null) return { ok: false, reason: damage };
    const failure = log.failure();
    return failure === null ? queue.health() : { ok: false, reason: explain(failure).message };
  }

  return {
    ok: true,
    store: {
      retention: createRetention(connection, db, queue, journal),
      calls: createCallRepository({ connection, db, queue, journal, search, now }),
      idempotency: createIdempotencyRepository(connection, db, queue),
      savedCalls: createSavedCallRepository(connection, db, queue),
      revisions,
      extensions,
      failures,
      snapshots,
      commitSet: createCommitSet(queue, { ...revisions, ...extensions, ...failures }, snapshots),
      failureGroups: createFailureGroupRepository(connection, db, queue),
      channels: createChannelRepository(connection, db, queue),
      accounts: createAccountRepository(connection, db, queue),
      tokens: createTokenRepository(connection, db, queue),
      audit: createAuditRepository(connection, db, queue),
      reserveEventIds: eventIds.reserve,
      releaseEventIds: eventIds.release,
      examined,
      health,
      close: () => (closing ??= close()),
    },
  };
}
