import path from 'node:path';
import { LIMITS } from '#lib/contract/limits.ts';
import { createAccountRepository } from './account-repository.ts';
import { createAuditRepository } from './audit-repository.ts';
import { createCallRepository } from './call-repository.ts';
import { createChannelRepository } from './channel-repository.ts';
import { createCommitSet } from './commit-set.ts';
import { readCounter, writeCounter } from './counters.ts';
import { damaged, LARGE_TABLES, openDatabaseFile } from './database-file.ts';
import type { Durability } from './database-file.ts';
import { createEventIds } from './event-ids.ts';
import { createExtensionRepository } from './extension-repository.ts';
import { createFailureGroupRepository } from './failure-group-repository.ts';
import { createFailureRepository } from './failure-repository.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { createFreeSpace } from './free-space.ts';
import { createQueryBuilder } from './query-builder.ts';
import { createRetention } from './retention.ts';
import { createRevisionRepository } from './revision-repository.ts';
import { createSavedCallRepository } from './saved-call-repository.ts';
import { createSearchIndex } from './search-index.ts';
import { createSnapshotRepository } from './snapshot-repository.ts';
import { createConnection } from './sqlite-connection.ts';
import { diskFull } from './storage-error.ts';
import type { OpenStore } from './store.ts';
import { createTokenRepository } from './token-repository.ts';
import { createWriteQueue } from './write-queue.ts';
import { Worker } from 'node:worker_threads';

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

/** Opens or creates the database. The store owns the file until `close`. */
export function openStore({
  file,
  lockedMs = LIMITS.storageLockedMs,
  fullCheckBytes,
  durability = 'process',
  now = () => new Date(),
}: OpenStoreOptions): OpenStore {
  const db = createQueryBuilder();
  const opened = openDatabaseFile({ file, builder: db, lockedMs, fullCheckBytes, durability });
  if (!opened.ok) return opened;

  const connection = createConnection(opened.db, path.dirname(file));
  const queue = createWriteQueue({
    connection,
    space: createFreeSpace(path.dirname(file)),
    full: () => diskFull(path.dirname(file)),
    lockedMs,
    probe: () => writeCounter(connection, db, 'event_ids', readCounter(connection, db, 'event_ids')),
  });
  const search = createSearchIndex(connection, db, queue);
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
    search.close();
    connection.close();
  }

  function health() {
    if (damage !== null) return { ok: false, reason: damage };
    return queue.health();
  }

  return {
    ok: true,
    store: {
      retention: createRetention(connection, db, queue),
      calls: createCallRepository({ connection, db, queue, search, now }),
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

/**
 * After an unclean stop, every page of the large tables is checked in a separate thread: at ten milliseconds per
 * megabyte, a start could not wait for it.
 *
 * What can go wrong: the store is closed meanwhile (the thread ends without a result); the thread cannot start or the
 * file cannot be read (reported as no problem: SQLite refuses reads and writes of such a page anyway).
 */
interface PageCheck {
  /** The damage, in SQLite's words; null: none, or the check was stopped. */
  readonly fault: Promise<string | null>;
  close(): Promise<void>;
}

/** As text, because a bundled server has no file of it. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.file, { readOnly: true, timeout: 5000 });
let fault = null;
try {
  for (const table of workerData.tables) {
    const text = String(db.prepare('pragma quick_check("' + table + '")').get()?.quick_check ?? 'ok');
    if (text !== 'ok') fault ??= text.split('\\n').slice(0, 2).join(' ');
  }
} catch (error) {
  if (/malformed|corrupt/.test(String(error))) fault = error.message;
} finally {
  db.close();
}
parentPort.postMessage(fault);
`;

function checkPages(file: string, tables: readonly string[]): PageCheck {
  const worker = new Worker(PROGRAM, { eval: true, env: {}, workerData: { file, tables } });
  worker.unref();
  const { promise: fault, resolve } = Promise.withResolvers<string | null>();
  worker.once('message', (found: unknown) => resolve(typeof found === 'string' ? found : null));
  worker.once('error', () => resolve(null));
  worker.once('exit', () => resolve(null));
  return {
    fault,
    close: async () => void (await worker.terminate()),
  };
}
