import { LIMITS } from '#lib/contract/limits.ts';
import { createAccountRepository } from './account-repository.ts';
import { createAuditRepository } from './audit-repository.ts';
import { createCallRepository } from './call-repository.ts';
import { createChannelRepository } from './channel-repository.ts';
import { createCommitSet } from './commit-set.ts';
import type { Durability } from './database-file.ts';
import { createEventIds } from './event-ids.ts';
import { createExtensionRepository } from './extension-repository.ts';
import { createFailureGroupRepository } from './failure-group-repository.ts';
import { createFailureRepository } from './failure-repository.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { createRetention } from './retention.ts';
import { createRevisionRepository } from './revision-repository.ts';
import { createSavedCallRepository } from './saved-call-repository.ts';
import { createSnapshotRepository } from './snapshot-repository.ts';
import { openSqlite } from './sqlite-database.ts';
import type { OpenStore } from './store.ts';
import { createTokenRepository } from './token-repository.ts';

export interface OpenStoreOptions {
  /** Absolute path of the database; its folder is created when missing. */
  readonly file: string;
  /** How long a write waits for another process's lock before it is refused. */
  readonly lockedMs?: number;
  /** Above this size the large tables are not checked before a start, but in the background after an unclean stop. */
  readonly fullCheckBytes?: number;
  /** What a commit survives: the end of the process, or a power failure as well. */
  readonly durability?: Durability;
  now?(): Date;
}

/** Opens or creates the database. The store owns it until `close`. */
export async function openStore({
  file,
  lockedMs = LIMITS.storageLockedMs,
  fullCheckBytes,
  durability = 'process',
  now = () => new Date(),
}: OpenStoreOptions): Promise<OpenStore> {
  const opened = await openSqlite({ file, lockedMs, fullCheckBytes, durability });
  if (!opened.ok) return opened;
  const { database, examined } = opened;
  let closing: Promise<void> | null = null;
  return {
    ok: true,
    store: {
      retention: createRetention(database),
      calls: createCallRepository(database, now),
      idempotency: createIdempotencyRepository(database),
      savedCalls: createSavedCallRepository(database),
      revisions: createRevisionRepository(database.read),
      extensions: createExtensionRepository(database.read),
      failures: createFailureRepository(database.read),
      snapshots: createSnapshotRepository(database.read),
      commitSet: createCommitSet(database),
      failureGroups: createFailureGroupRepository(database),
      channels: createChannelRepository(database),
      accounts: createAccountRepository(database),
      tokens: createTokenRepository(database),
      audit: createAuditRepository(database),
      ...createEventIds(database),
      examined,
      health: database.health,
      close: () => (closing ??= database.close()),
    },
  };
}
