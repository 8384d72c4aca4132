import type { CallFilter } from '#lib/contract/call.ts';
import { chooseIntersected, planCalls } from './call-conditions.ts';
import { callPageQuery, callQuery, firstCallPageQuery, newestCallQuery, payloadQuery } from './call-queries.ts';
import type { CallPosition } from './call-queries.ts';
import { completeCall, interruptedOn, listedCall, splitEnd, splitRunning } from './call-rows.ts';
import { countCalls, createLastHourCounts } from './call-statistics.ts';
import { changesOf } from './database.ts';
import type { Database } from './database.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import { type SearchWord, searchWords } from './search-words.ts';
import type { CallRepository } from './store.ts';
import type { CallsRow } from './call-rows.ts';

interface RowsOfPage {
  readonly rows: CallsRow[];
  cursorOf(row: CallsRow): string;
}

export function createCallRepository(database: Database, now: () => Date): CallRepository {
  const { read, write, dialect, search, writer } = database;
  const lastHour = createLastHourCounts({ db: read, now });

  async function listRecent(filter: CallFilter): Promise<RowsOfPage | null> {
    const keys = filter.cursor === undefined ? [] : decodeCursor('calls', filter.cursor, 2);
    if (keys === null) return null;
    const [startedAt, seq] = keys;
    const after = startedAt === undefined || seq === undefined ? null : { startedAt, seq };
    return {
      rows: await rowsOf(filter, after),
      cursorOf: (row) => encodeCursor('calls', [row.started_at, row.seq]),
    };
  }

  async function rowsOf(filter: CallFilter, after: CallPosition | null): Promise<CallsRow[]> {
    const { lead, others, isNarrow } = await planCalls(read, filter);
    // The index by start of SQLite contains the other values.
    const isDirect = isNarrow || (dialect.name === 'sqlite' && others.length === 0);
    if (isDirect) return await callPageQuery(read, dialect, filter, lead, after).execute();
    const first = await firstCallPageQuery(read, dialect, filter, lead, after).execute();
    if (first.length > filter.limit) return first;
    const found = await search.filtered(filter, after);
    if (found !== null) return found;
    // PostgreSQL has statistics, and combines indexes.
    const intersected = dialect.name === 'postgres' ? [] : await chooseIntersected(read, filter, others);
    return await callPageQuery(read, dialect, filter, lead, after, intersected).execute();
  }

  async function listFound(filter: CallFilter, words: readonly SearchWord[]): Promise<RowsOfPage | null> {
    const keys = filter.cursor === undefined ? [] : decodeCursor('found', filter.cursor, 1);
    if (keys === null) return null;
    return {
      rows: await search.page(filter, words, keys[0] ?? null),
      cursorOf: (row) => encodeCursor('found', [row.seq]),
    };
  }

  return {
    insertRunning: (call) => writer.insertRunning(splitRunning(call)),
    finish: (id, end) => writer.finish(splitEnd(id, end)),

    async get(id) {
      const row = await callQuery(read, id).executeTakeFirst();
      if (row === undefined) return null;
      const isCut = row.arguments_cut === 1 || row.result_cut === 1 || row.error_cut === 1 || row.logs_cut === 1;
      return completeCall(row, isCut ? await payloadQuery(read, id).executeTakeFirst() : undefined);
    },

    newestId: async () => (await newestCallQuery(read).executeTakeFirst())?.id ?? null,

    async list(filter) {
      const words = searchWords(filter.q ?? '');
      if (words === null) return { calls: [], next_cursor: null };
      const page = words.length === 0 ? await listRecent(filter) : await listFound(filter, words);
      if (page === null) return null;
      const shown = page.rows.slice(0, filter.limit);
      const last = shown.at(-1);
      const hasMore = page.rows.length > filter.limit && last !== undefined;
      return { calls: shown.map(listedCall), next_cursor: hasMore ? page.cursorOf(last) : null };
    },

    stats(query) {
      return countCalls({ db: read, dialect, search, now }, query, searchWords(query.q ?? ''));
    },

    lastHour() {
      return lastHour.count();
    },

    async closeInterrupted() {
      const end = { status: 'failed', error_json: JSON.stringify(interruptedOn(null)), finished_at: now().getTime() } as const;
      const count = await write(async (db) =>
        changesOf(await db.updateTable('calls').set(end).where('status', '=', 'running').executeTakeFirst()),
      );
      if (count > 0) search.noteAllFinished();
      return count;
    },
  };
}
