import type { CallFilter } from '#lib/contract/call.ts';
import { chooseLead } from './call-conditions.ts';
import { countCalls } from './call-statistics.ts';
import { createLastHourCounts } from './last-hour-counts.ts';
import {
  callPageQuery,
  callQuery,
  finishPayloadQuery,
  finishQuery,
  insertPayloadQuery,
  insertRunningQuery,
  newestCallQuery,
  payloadQuery,
} from './call-queries.ts';
import { listedCall, splitEnd, splitRunning, completeCall } from './call-rows.ts';
import type { Values } from './call-rows.ts';
import { createFoundCalls } from './found-calls.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { SearchIndex } from './search-index.ts';
import { searchWords } from './search-words.ts';
import type { SearchWord } from './search-words.ts';
import type { Connection } from './sqlite-connection.ts';
import type { CallRepository } from './store.ts';
import type { CallsRow } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

const INTERRUPTED = {
  kind: 'extension_crashed',
  message: 'The server stopped while this call ran, so its result is unknown. Its effects were not undone; retry it only if that is safe.',
  data: { reason: 'server_stopped' },
} as const;

export interface CallRepositoryOptions {
  readonly connection: Connection;
  readonly db: QueryBuilder;
  readonly queue: WriteQueue;
  readonly search: SearchIndex;
  now(): Date;
}

interface RowsOfPage {
  readonly rows: CallsRow[];
  cursorOf(row: CallsRow): string;
}

export function createCallRepository({ connection, db, queue, search, now }: CallRepositoryOptions): CallRepository {
  const lastHour = createLastHourCounts({ connection, db, now });
  const found = createFoundCalls(connection, db, search);
  const insertRunning = connection.prepare(insertRunningQuery(db));
  const insertPayload = connection.prepare(insertPayloadQuery(db));
  const finish = connection.prepare(finishQuery(db));
  const finishPayload = connection.prepare(finishPayloadQuery(db));

  function listRecent(filter: CallFilter): RowsOfPage | null {
    const keys = filter.cursor === undefined ? [] : decodeCursor('calls', filter.cursor, 2);
    if (keys === null) return null;
    const [startedAt, seq] = keys;
    const after = startedAt === undefined || seq === undefined ? null : { startedAt, seq };
    return {
      rows: connection.all(callPageQuery(db, filter, chooseLead(connection, db, filter), after)),
      cursorOf: (row) => encodeCursor('calls', [row.started_at, row.seq]),
    };
  }

  async function listFound(filter: CallFilter, words: readonly SearchWord[]): Promise<RowsOfPage | null> {
    const keys = filter.cursor === undefined ? [] : decodeCursor('found', filter.cursor, 1);
    if (keys === null) return null;
    return {
      rows: await found.page(filter, words, keys[0] ?? null),
      cursorOf: (row) => encodeCursor('found', [row.seq]),
    };
  }

  /** Whether this is the stored end: a caller without an answer sends it again. */
  function isKept(id: string, end: Values): boolean {
    const row = connection.first(callQuery(db, id));
    return row !== undefined && Object.entries(row).every(([column, value]) => !(column in end) || end[column] === value);
  }

  return {
    insertRunning(call) {
      const { row, payload } = splitRunning(call);
      const work = (): void => {
        insertRunning(row);
        if (payload !== null) insertPayload(payload);
      };
      return queue.run(work, { onCommitted: search.noteInserted, needsSpace: true });
    },

    finish(id, end) {
      const { row, payload } = splitEnd(id, end);
      const work = (): void => {
        if (finish(row).changes > 0) {
          if (payload !== null) finishPayload(payload);
        } else if (!isKept(id, row)) throw new Error(`Call ${id} is not running, so it cannot be finished.`);
      };
      return queue.run(work, { onCommitted: () => search.noteFinished(id) });
    },

    get(id) {
      const row = connection.first(callQuery(db, id));
      if (row === undefined) return null;
      const isCut = row.arguments_cut === 1 || row.result_cut === 1 || row.error_cut === 1 || row.logs_cut === 1;
      return completeCall(row, isCut ? connection.first(payloadQuery(db, id)) : undefined);
    },

    newestId: () => connection.first(newestCallQuery(db))?.id ?? null,

    async list(filter) {
      const words = searchWords(filter.q ?? '');
      if (words === null) return { calls: [], next_cursor: null };
      const page = words.length === 0 ? listRecent(filter) : await listFound(filter, words);
      if (page === null) return null;
      const shown = page.rows.slice(0, filter.limit);
      const last = shown.at(-1);
      const hasMore = page.rows.length > filter.limit && last !== undefined;
      return { calls: shown.map(listedCall), next_cursor: hasMore ? page.cursorOf(last) : null };
    },

    stats(query) {
      return countCalls({ connection, db, found, now }, query, searchWords(query.q ?? ''));
    },

    lastHour() {
      return lastHour.count();
    },

    closeInterrupted() {
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
