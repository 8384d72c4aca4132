import type { CallFilter } from '#lib/contract/call.ts';
import type { CallJournal } from './call-journal.ts';
import { chooseLead } from './call-conditions.ts';
import { countCalls } from './call-statistics.ts';
import { createLastHourCounts } from './last-hour-counts.ts';
import { callPageQuery, callQuery, payloadQuery } from './call-queries.ts';
import { listedCall, splitEnd, splitRunning, wholeCall } from './call-rows.ts';
import type { SplitRow, Values } from './call-rows.ts';
import { createFoundCalls } from './found-calls.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { SearchIndex } from './search-index.ts';
import { searchWords } from './search-words.ts';
import type { SearchWord } from './search-words.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { CallEnd, CallRepository, RunningCallRow } from './store.ts';
import type { CallsRow } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

const INTERRUPTED = {
  kind: 'extension_crashed',
  message:
    'The server stopped while this call ran, so its end is not known. What it did until then was not undone; call it again if that is safe.',
  data: { reason: 'server_stopped' },
} as const;

const REFUSED = {
  kind: 'extension_unavailable',
  message: 'The disk that holds the history refused this call, so it was not run, and its caller was told so. Call again.',
} as const;
const REFUSED_TRIES = 30;
const REFUSED_RETRY_MS = 1_000;

export interface CallRepositoryOptions {
  readonly connection: Connection;
  readonly db: QueryBuilder;
  readonly queue: WriteQueue;
  readonly journal: CallJournal;
  readonly search: SearchIndex;
  now(): Date;
}

export function createCallRepository({ connection, db, queue, journal, search, now }: CallRepositoryOptions): CallRepository {
  const lastHour = createLastHourCounts({ connection, db, now });
  const found = createFoundCalls(connection, db, search);

  function listRecent(filter: CallFilter): { rows: CallsRow[]; cursorOf(row: CallsRow): string } | null {
    const keys = filter.cursor === undefined ? [] : decodeCursor('calls', filter.cursor, 2);
    if (keys === null) return null;
    const [startedAt, seq] = keys;
    const after = startedAt === undefined || seq === undefined ? null : { startedAt, seq };
    return {
      rows: connection.all(callPageQuery(db, filter, chooseLead(connection, db, filter), after)),
      cursorOf: (row) => encodeCursor('calls', [row.started_at, row.seq]),
    };
  }

  function listFound(filter: CallFilter, words: readonly SearchWord[]): { rows: CallsRow[]; cursorOf(row: CallsRow): string } | null {
    const keys = filter.cursor === undefined ? [] : decodeCursor('found', filter.cursor, 1);
    if (keys === null) return null;
    return {
      rows: found.page(filter, words, keys[0] ?? null),
      cursorOf: (row) => encodeCursor('found', [row.seq]),
    };
  }

  async function writeEnd(id: string, end: CallEnd, waitsForDisk: boolean): Promise<void> {
    const split = splitEnd(id, end);
    if (split.payload !== null) journal.file();
    const written = journal.end(split);
    if (written === null) return queue.run(() => journal.endFiled(split), { onCommitted: () => search.noteFinished(id), waitsForDisk });
    await written;
    search.noteFinished(id);
  }

  /** The beginning is kept, and the disk has refused it or what it rests upon: its caller is told that nothing ran. What cannot be written here the next start ends. */
  function endRefused({ id, revision }: RunningCallRow): void {
    const end = { revision, status: 'failed', resultText: null, error: REFUSED, logs: [], logsTruncated: false, progress: null } as const;
    const finishedAt = now().toISOString();
    const write = (tries: number): void => {
      writeEnd(id, { ...end, finishedAt, durationMs: 0 }, false).catch((error: unknown) => {
        if (isStorageError(error) && tries < REFUSED_TRIES) setTimeout(write, REFUSED_RETRY_MS, tries + 1).unref();
      });
    };
    write(1);
  }

  /** Into the file, and only where the database takes writes: what cannot be filed for long would be refused then. */
  async function begin(call: RunningCallRow, row: Values): Promise<void> {
    const taken = queue.whenTaken();
    if (taken !== null) await taken;
    journal.admit(call.id);
    try {
      await journal.begin(row);
    } catch (error) {
      if (isThere(call.id)) endRefused(call);
      throw error;
    }
    search.noteInserted();
  }

  async function beginWhole(call: RunningCallRow, split: SplitRow): Promise<void> {
    let isKept = false;
    const onCommitted = (): void => {
      isKept = true;
      search.noteInserted();
    };
    const work = (): void => {
      journal.admit(call.id);
      journal.beginWhole(split);
    };
    try {
      await queue.run(work, { onCommitted, waitsForDisk: true, needsRoom: true });
    } catch (error) {
      if (isKept) endRefused(call);
      throw error;
    }
  }

  /** Filed or not. */
  function isThere(id: string): boolean {
    return journal.find(id) !== null || connection.first(callQuery(db, id)) !== undefined;
  }

  return {
    insertRunning(call) {
      const split = splitRunning(call);
      return split.payload === null ? begin(call, split.row) : beginWhole(call, split);
    },

    finish: (id, end) => writeEnd(id, end, true),

    get(id) {
      journal.file();
      const row = connection.first(callQuery(db, id));
      if (row === undefined) {
        const unfiled = journal.find(id);
        return unfiled === null ? null : wholeCall(unfiled.row, unfiled.payload);
      }
      const isCut = row.arguments_cut === 1 || row.result_cut === 1 || row.error_cut === 1 || row.logs_cut === 1;
      return wholeCall(row, isCut ? connection.first(payloadQuery(db, id)) : undefined);
    },

    list(filter) {
      journal.file();
      const words = searchWords(filter.q ?? '');
      if (words === null) return { calls: [], next_cursor: null };
      const page = words.length === 0 ? listRecent(filter) : listFound(filter, words);
      if (page === null) return null;
      const shown = page.rows.slice(0, filter.limit);
      const last = shown.at(-1);
      const hasMore = page.rows.length > filter.limit && last !== undefined;
      return { calls: shown.map(listedCall), next_cursor: hasMore ? page.cursorOf(last) : null };
    },

    stats(query) {
      journal.file();
      return countCalls({ connection, db, found, now }, query, searchWords(query.q ?? ''));
    },

    lastHour() {
      journal.file();
      return lastHour.count();
    },

    closeInterrupted() {
      journal.file();
      const query = db
        .updateTable('calls')
        .set({ status: 'failed', error_json: JSON.stringify(INTERRUPTED), finished_at: now().getTime() })
        .where('status', '=', 'running')
        .compile();
      const count = queue.now(() => connection.run(query).changes);
      if (count > 0) search.noteAllFinished();
      return count;
    },
  };
}
