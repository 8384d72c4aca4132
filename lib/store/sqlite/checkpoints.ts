import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/**
 * Copies the write-ahead log into the database in another thread. Within a commit, SQLite would hold the event loop for as long
 * as the disk needs to sync both files. What can go wrong:
 * - writes go on meanwhile, so that the log cannot start over: the thread copies the rest under the write lock, for which the
 *   writes wait in their queue;
 * - the thread fails, or cannot get the lock: tried again after further pages. SQLite itself copies within a commit when the log
 *   is four times as long (database-file.ts), so it is bounded.
 */
/** Length of the log, in pages of 4 KiB, at which it is copied. */
export const LOG_PAGES = 4_000;
const RETRY_PAGES = 1_000;
/** Asking for the length takes 5 µs. */
const COMMITS_BETWEEN = 16;

/** As text, because a bundled server has no file of it. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData, { timeout: 100 });
const copy = (mode) => db.prepare('pragma wal_checkpoint(' + mode + ')').get();
copy('passive');
const { log, checkpointed } = copy('noop');
const isDone = log === checkpointed || copy('restart').busy === 0;
db.close();
parentPort.postMessage(isDone);
`;

/** @param db the connection that writes */
export function createCheckpoints(db: DatabaseSync, file: string, logPages = LOG_PAGES) {
  const length = db.prepare('pragma wal_checkpoint(noop)');
  let commits = 0;
  let nextPages = logPages;
  let worker: Worker | null = null;

  function copyLog(pages: number): void {
    nextPages = pages + RETRY_PAGES;
    worker = new Worker(PROGRAM, { eval: true, env: {}, workerData: file });
    worker.unref();
    worker.once('message', (isDone: unknown) => {
      if (isDone === true) nextPages = logPages;
    });
    worker.once('error', () => undefined);
    worker.once('exit', () => {
      worker = null;
    });
  }

  return {
    /** Never throws: what is committed must not be repeated. */
    afterCommit(): void {
      commits += 1;
      if (worker !== null || commits % COMMITS_BETWEEN !== 0) return;
      try {
        const pages = Number(length.get()?.['log'] ?? 0);
        if (pages >= nextPages) copyLog(pages);
      } catch {
        // The next commits ask again.
      }
    },
    /** Waits for the thread, since the last connection to close removes the log. */
    async close(): Promise<void> {
      if (worker === null) return;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      worker.once('exit', () => resolve());
      worker.ref();
      await ended;
    },
  };
}
