import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Brings what is committed to the disk without stopping the event loop. SQLite's own sync inside a commit (synchronous=FULL)
 * blocks the thread for as long as the disk takes, which was half of the time of a busy server. So commits only write the log
 * (synchronous=NORMAL), and this syncs the same file in the background: what waits for it is as safe against a loss of power as
 * under FULL, and the commits of many turns share one sync. Two are under way at a time: what is committed during one need not wait
 * for its end before its own begins.
 *
 * What can go wrong: the sync fails (whoever waits is refused; SQLite never takes back the commit, so a call that was refused
 * stands in the history, and is ended there as one that was not run); one of two is not told of a fault (the system tells it once to each
 * descriptor, so each has its own); the log is not there yet (it is opened when the first commit has made it); the file is opened besides
 * (harmless for a write-ahead log: SQLite holds its locks on the other two files, whose descriptors must never be closed by us).
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

/** How many syncs may be under way at a time. */
const LANES = 2;
const openFile = promisify(open);
const closeFile = promisify(close);

/** @param logFile the write-ahead log: the database's path with `-wal` */
export function createDiskSync(logFile: string): DiskSync {
  let waiting: Waiting[] = [];
  const lanes = Array.from({ length: LANES }, () => createLane(logFile));

  function begin(): void {
    const free = lanes.find((lane) => !lane.isBusy());
    if (free === undefined || waiting.length === 0) return;
    const served = waiting;
    waiting = [];
    free
      .sync()
      .then(
        () => served.forEach(({ resolve }) => resolve()),
        (error: unknown) => served.forEach(({ reject }) => reject(error)),
      )
      .finally(begin);
  }

  return {
    settled: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        begin();
      }),
    async close() {
      while (waiting.length > 0 || lanes.some((lane) => lane.isBusy())) await Promise.allSettled(lanes.map((lane) => lane.idle()));
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** One descriptor of the log, and one sync at a time. */
function createLane(logFile: string) {
  let descriptor: Promise<number> | null = null;
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

  return {
    isBusy: () => running !== null,
    idle: () => running ?? Promise.resolve(),
    sync(): Promise<void> {
      running = opened()
        .then(sync)
        .finally(() => {
          running = null;
        });
      return running;
    },
    async close() {
      if (descriptor !== null) await closeFile(await descriptor);
      descriptor = null;
    },
  };
}
