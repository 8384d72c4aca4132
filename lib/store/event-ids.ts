import { readCounter, writeCounter } from './counters.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * Ids of events, never given twice. On disk is the first id that was surely never given; a reservation writes twice as far
 * as it was asked, so that a lock held by another process for a while does not stop the next one.
 */
export interface EventIds {
  reserve(count: number): number;
  release(next: number): void;
}

export function createEventIds(connection: Connection, db: QueryBuilder, queue: WriteQueue): EventIds {
  let unusedOnDisk = readCounter(connection, db, 'event_ids');
  let next = unusedOnDisk;

  function write(value: number): void {
    queue.now(() => writeCounter(connection, db, 'event_ids', value));
    unusedOnDisk = value;
  }

  return {
    reserve(count) {
      const first = next;
      const end = first + count;
      try {
        write(end + count);
      } catch (error) {
        if (!isStorageError(error) || end > unusedOnDisk) throw error;
      }
      next = end;
      return first;
    },
    release(unused) {
      try {
        write(unused);
        next = unused;
      } catch (error) {
        // What is not given back is skipped at the next start, which is harmless.
        if (!isStorageError(error)) throw error;
      }
    },
  };
}
