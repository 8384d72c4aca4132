import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

/**
 * Room for what the write-ahead log is going to hold. A file that grows with each commit makes each sync of it a commit of the
 * file system's own journal as well, with all else that was written meanwhile: the program of an extension that was just saved,
 * say. So zeros are written behind the log, a mebibyte at a time, and SQLite writes over them; once it begins the log anew, which
 * keeps its size, nothing is left to do.
 *
 * What can go wrong: zeros over what was just written there (they are only written under SQLite's write lock, behind the end of
 * the file, and nothing but the holder of that lock writes to the log); a crash (SQLite reads the log up to the first frame that
 * is not of its present round, and takes zeros for the end, as it does with what an earlier round left there); a log that is empty
 * or not there (it is left to SQLite, which writes its head first); a full disk, or one that refuses (the room is not made, and
 * SQLite finds out what is wrong by itself).
 */
export interface LogRoom {
  /** Called inside of a write transaction, before its writes. Never throws. */
  keep(): void;
  close(): void;
}

const ROOM_BYTES = 1_048_576;
const HEAD_BYTES = 32;

/** @param logFile the write-ahead log: the database's path with `-wal` */
export function createLogRoom(logFile: string): LogRoom {
  let descriptor: number | null = null;
  /** Where the zeros end that were written last; SQLite is behind it as long as the file is no longer. */
  let end = 0;

  function make(): void {
    descriptor ??= openSync(logFile, 'r+');
    const { size } = fstatSync(descriptor);
    if (size > HEAD_BYTES && size !== end) end = size + writeSync(descriptor, Buffer.alloc(ROOM_BYTES), 0, ROOM_BYTES, size);
  }

  return {
    keep() {
      try {
        make();
      } catch {
        end = 0;
      }
    },
    close() {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}
