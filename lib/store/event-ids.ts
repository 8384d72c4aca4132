import { readCounter, writeCounter } from './counters.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Ids of events, never used twice. The disk has the first id that was surely never used; a reservation writes twice the
 * requested range, so that a lock held briefly by another process does not block the next one.
 *
 * What can go wrong: the database refuses for longer than that. Events continue, because their emitter could do nothing
 * about it, and used ids are written as soon as possible. Only a server that dies before reuses such ids.
 */
export interface EventIds {
  /** Throws a StorageError when the very first ids cannot be written. */
  reserve(count: number): number;
  release(next: number): void;
}

const RETRY_MS = 1_000;

export function createEventIds(connection: Connection, db: QueryBuilder, queue: WriteQueue): EventIds {
  let unusedOnDisk = readCounter(connection, db, 'event_ids');
  let next = unusedOnDisk;
  let hasReserved = false;
  let retry: NodeJS.Timeout | undefined;

  function write(value: number): void {
    queue.now(() => writeCounter(connection, db, 'event_ids', value));
    unusedOnDisk = value;
    clearTimeout(retry);
    retry = undefined;
  }

  function writeAgain(): void {
    retry = undefined;
    try {
      write(next);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      writeLater();
    }
  }

  function writeLater(): void {
    retry ??= setTimeout(writeAgain, RETRY_MS).unref();
  }

  return {
    reserve(count) {
      const first = next;
      const end = first + count;
      try {
        write(end + count);
      } catch (error) {
        if (!isStorageError(error) || !hasReserved) throw error;
        if (end > unusedOnDisk) writeLater();
      }
      hasReserved = true;
      next = end;
      return first;
    },
    release(unused) {
      clearTimeout(retry);
      try {
        write(unused);
        next = unused;
      } catch (error) {
        // Ids that are not returned are skipped at the next start, which is harmless.
        if (!isStorageError(error)) throw error;
      }
    },
  };
}
