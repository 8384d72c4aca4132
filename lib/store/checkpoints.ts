import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';

/**
 * Takes what is in the write-ahead log into the database, in a thread of its own. SQLite does it inside of a commit when the log is
 * long: some thousand pages and two syncs, for which a busy server stood still a few times a second.
 *
 * What can go wrong: while the thread copies, more is written, so that the log never ends and is never begun anew (once most is
 * copied, writes wait for the few pages that came since); the thread cannot be started, fails, on a full disk say, or cannot keep up
 * (the log grows to four times the length, and SQLite does it itself; another thread is tried after a while); the file is closed
 * meanwhile (the thread closes its connection first: the last one to close removes the log); another process reads an old state (the
 * log cannot be begun anew, and the next round tries again).
 */
export interface Checkpoints {
  /** After each commit, outside of a transaction. */
  onCommitted(): void;
  /** Null: commits may go on. Otherwise settles when they may, in milliseconds. */
  pause(): Promise<void> | null;
  close(): Promise<void>;
}

/** So long is the log, in pages of 4 KiB, when it is copied. */
const LOG_PAGES = 4_000;
/** Where SQLite does it itself. */
export const LOG_PAGES_MOST = 4 * LOG_PAGES;
const COMMITS_BETWEEN_LOOKS = 16;
const UNUSED_MS = 5_000;
/** After this long a thread that failed is tried again. */
const FAILED_MS = 30_000;

/** By its text, since a server that runs from a bundle has no file of it. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.file, { timeout: 0 });
db.exec('pragma synchronous = normal');
const copy = db.prepare('pragma wal_checkpoint(passive)');
parentPort.on('message', (word) => {
  if (word === 'copy') {
    copy.get();
    parentPort.postMessage('copied');
  } else {
    db.close();
    parentPort.close();
  }
});
`;

/** In pages. */
interface LogLength {
  readonly log: number;
  readonly checkpointed: number;
}

export function createCheckpoints(file: string, connection: Connection, db: QueryBuilder): Checkpoints {
  const lengthOfLog = sql<LogLength>`pragma wal_checkpoint(noop)`.compile(db);
  let thread: Worker | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let commits = 0;
  let round: Promise<void> | null = null;
  let paused: Promise<void> | null = null;
  let unused: NodeJS.Timeout | undefined;

  function started(): Worker {
    if (thread !== null) return thread;
    const made = new Worker(PROGRAM, { eval: true, env: {}, workerData: { file }, resourceLimits: { maxOldGenerationSizeMb: 16 } });
    made.unref();
    made.on('error', () => {
      failedAt = performance.now();
    });
    made.once('exit', () => {
      if (thread === made) thread = null;
    });
    thread = made;
    return made;
  }

  /** Settles when it is done, or when it is sure that it will not be. */
  function copy(): Promise<void> {
    const worker = started();
    return new Promise((resolve, reject) => {
      const over = (error?: unknown): void => {
        worker.off('message', over).off('error', fail).off('exit', fail);
        if (error instanceof Error) reject(error);
        else resolve();
      };
      const fail = (): void => over(new Error('the thread of the checkpoints has ended'));
      worker.once('message', over).once('error', fail).once('exit', fail);
      worker.postMessage('copy');
    });
  }

  async function work(): Promise<void> {
    clearTimeout(unused);
    try {
      await copy();
      paused = copy();
      await paused;
    } catch {
      failedAt = performance.now();
      thread = null;
    }
    paused = null;
    round = null;
    unused = setTimeout(() => void end(), UNUSED_MS).unref();
  }

  async function end(): Promise<void> {
    clearTimeout(unused);
    thread?.ref();
    await round;
    clearTimeout(unused);
    const worker = thread;
    thread = null;
    if (worker === null) return;
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage('close');
    });
  }

  function isLong(): boolean {
    try {
      const length = connection.first(lengthOfLog);
      return length !== undefined && length.log - length.checkpointed >= LOG_PAGES;
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return false;
    }
  }

  return {
    onCommitted() {
      commits += 1;
      if (commits < COMMITS_BETWEEN_LOOKS || round !== null || performance.now() - failedAt < FAILED_MS) return;
      commits = 0;
      if (isLong()) round = work();
    },
    pause: () => paused,
    close: end,
  };
}
