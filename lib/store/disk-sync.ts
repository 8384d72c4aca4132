import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Brings what is committed to the disk without stopping the event loop. SQLite's own sync inside a commit (synchronous=FULL)
 * blocks the thread for as long as the disk takes, which was half of the time of a busy server. So commits only write the log
 * (synchronous=NORMAL), and this syncs the same file in the background: what waits for it is as safe against a loss of power as
 * under FULL, and the commits of many turns share one sync.
 *
 * What can go wrong: the sync fails (whoever waits is refused; SQLite never takes back the commit, so a call that was refused may
 * stand in the history as one that never ran on); the log is not there yet (it is opened when the first commit has made it); the
 * file is opened a second time (harmless for a write-ahead log: SQLite holds its locks on the other two files, whose descriptors
 * must never be closed by us).
 */
export interface DiskSync {
  /** Resolves when everything committed before this call is on the disk. */
  settled(): Promise<void>;
  /** Waits for the sync under way; called before the database is closed. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

const openFile = promisify(open);
const closeFile = promisify(close);

/** @param logFile the write-ahead log: the database's path with `-wal` */
export function createDiskSync(logFile: string): DiskSync {
  let descriptor: Promise<number> | null = null;
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  function opened(): Promise<number> {
    descriptor ??= openFile(logFile, 'r+').catch((error: unknown) => {
      descriptor = null;
      throw error;
    });
    return descriptor;
  }

  function sync(file: number): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(file, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      try {
        await sync(await opened());
        for (const { resolve } of served) resolve();
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    running = null;
  }

  return {
    settled: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        running ??= work();
      }),
    async close() {
      await running;
      if (descriptor !== null) await closeFile(await descriptor);
      descriptor = null;
    },
  };
}
