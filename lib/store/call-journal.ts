import { z } from 'zod';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import {
  callQuery,
  finishPayloadQuery,
  finishQuery,
  insertJournalQuery,
  insertPayloadQuery,
  insertRunningQuery,
  insertWholeQuery,
  newestCallQuery,
} from './call-queries.ts';
import type { SplitRow, Values } from './call-rows.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { StorageError } from './store.ts';
import type { CallPayloadsTable, CallsRow } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * The writes of calls. They go into a table without any index first, and are filed into `calls` many at a time: `calls` has
 * eight indexes, and a commit writes a page of each that it touched, whether one call was added or a hundred. Committing was a
 * quarter of the main thread's time. What the table holds is kept here as well, so that it is read at a start alone.
 *
 * What can go wrong:
 * - the host dies: the next start files what the table holds, calls without an end as calls that run;
 * - somebody reads: all that is written is filed before (`file`), so a reader of `calls` need not look here;
 * - the database is locked when it is to be filed: readers see what is filed already, and a single call is found here, too;
 * - a call runs for long: it is filed as one that runs, and its end is written there;
 * - its values are large: they are not written twice;
 * - an end is committed and the disk refuses it: whoever asked is refused, and asks again;
 * - filing is refused for long while writing is not: from some thousand calls on, writing is refused as well.
 */
export interface CallJournal {
  /** Within a transaction; returns what is to be done when that is committed. */
  begin(call: SplitRow): () => void;
  /** Likewise. The same end again is taken for done: its caller may not know that it is kept. Throws for any other call that does not run. */
  end(end: SplitRow): () => void;
  /** One that is not filed yet. */
  find(id: string): UnfiledCall | null;
  /** Files everything; to be called before `calls` is read. False where the database does not let it. */
  file(): boolean;
  close(): void;
}

export interface UnfiledCall {
  readonly row: CallsRow;
  readonly payload: Omit<CallPayloadsTable, 'call_id'> | undefined;
}

interface Kept {
  readonly begun: Values;
  end: SplitRow | null;
  /** It still ran when others were filed. */
  wasPassed: boolean;
}

/** Nobody asked for them meanwhile. */
const FILE_AFTER_MS = 100;
/** So many that have ended are filed in about two milliseconds. */
const FILE_FROM = 128;
/** With so many that the database does not let it file, it takes no more. */
const KEPT_MOST = 4_096;

/** The columns of a call that runs which nothing is known of. */
const UNENDED = {
  status: 'running',
  finished_at: null,
  duration_us: null,
  progress_json: null,
  logs_truncated: 0,
  result_json: null,
  result_cut: 0,
  error_json: null,
  error_cut: 0,
  error_kind: null,
  logs_json: null,
  logs_cut: 0,
} satisfies Partial<CallsRow>;

const valuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const splitRowSchema = z.object({ row: valuesSchema, payload: valuesSchema.nullable() });

export function createCallJournal(connection: Connection, db: QueryBuilder, queue: Pick<WriteQueue, 'now'>): CallJournal {
  const append = connection.prepare(insertJournalQuery(db));
  const clear = db.deleteFrom('call_journal').compile();
  const insertRunning = connection.prepare(insertRunningQuery(db));
  const insertWhole = connection.prepare(insertWholeQuery(db));
  const insertPayload = connection.prepare(insertPayloadQuery(db));
  const finish = connection.prepare(finishQuery(db));
  const finishPayload = connection.prepare(finishPayloadQuery(db));
  /** The number of the call that arrived last. It is given at the beginning, as calls are not filed in the order of their arrival. */
  let arrivals = connection.first(newestCallQuery(db))?.seq ?? 0;
  /** What the table holds, in order of arrival. */
  const kept = new ShortLivedMap<string, Kept>();
  let ended = 0;
  let timer: NodeJS.Timeout | null = null;
  let soon: NodeJS.Immediate | null = null;
  /** Why they could not be filed last. */
  let refusal: StorageError | null = null;

  function noteBegun(begun: Values): void {
    kept.set(idOf(begun), { begun, end: null, wasPassed: false });
    timer ??= setTimeout(fileEnded, FILE_AFTER_MS).unref();
  }

  function noteEnded(end: SplitRow): void {
    const call = kept.get(idOf(end.row));
    if (call?.end !== null) return;
    call.end = end;
    ended += 1;
    if (ended === FILE_FROM) soon = setImmediate(fileEnded);
  }

  /** Those that run are passed over once: most end soon, and are then filed as a whole. */
  function fileEnded(): void {
    cancel();
    const calls = [...kept.values()];
    fileAll(calls.filter((call) => call.end !== null || call.wasPassed));
    for (const call of kept.values()) call.wasPassed = true;
    if (kept.size > 0) timer ??= setTimeout(fileEnded, FILE_AFTER_MS).unref();
  }

  function cancel(): void {
    if (timer !== null) clearTimeout(timer);
    if (soon !== null) clearImmediate(soon);
    timer = null;
    soon = null;
  }

  function fileAll(calls: readonly Kept[]): boolean {
    if (calls.length === 0) return true;
    const filed = new Set(calls);
    try {
      queue.now(() => {
        for (const call of calls) insert(call);
        connection.run(clear);
        for (const call of kept.values()) if (!filed.has(call)) appendBegun(call.begun);
      });
    } catch (error) {
      if (!isStorageError(error)) throw error;
      refusal = error;
      return false;
    }
    refusal = null;
    for (const { begun } of calls) kept.delete(idOf(begun));
    ended -= calls.filter((call) => call.end !== null).length;
    return true;
  }

  function insert({ begun, end }: Kept): void {
    if (end === null) return void insertRunning(begun);
    insertWhole({ ...begun, ...end.row });
    if (end.payload !== null) finishPayload(end.payload);
  }

  function appendBegun(begun: Values): void {
    append({ is_end: 0, entry_json: JSON.stringify({ row: begun, payload: null }) });
  }

  const journal: CallJournal = {
    begin({ row: given, payload }) {
      if (refusal !== null && kept.size >= KEPT_MOST) throw refusal;
      if (kept.has(idOf(given))) throw new Error(`Call ${idOf(given)} was begun before.`);
      arrivals += 1;
      const row = { ...given, seq: arrivals };
      if (payload === null) {
        appendBegun(row);
        return () => noteBegun(row);
      }
      insertRunning(row);
      insertPayload(payload);
      return () => undefined;
    },
    end(end) {
      const id = idOf(end.row);
      const call = kept.get(id);
      if (call?.end === null) {
        append({ is_end: 1, entry_json: JSON.stringify(end) });
        return () => noteEnded(end);
      }
      if (call === undefined && finish(end.row).changes > 0) {
        if (end.payload !== null) finishPayload(end.payload);
      } else if (!isOf(end.row, call === undefined ? connection.first(callQuery(db, id)) : call.end?.row))
        throw new Error(`Call ${id} is not running, so it cannot be finished.`);
      return () => undefined;
    },
    find(id) {
      const call = kept.get(id);
      // What splitRunning and splitEnd made, which are the columns that the table has.
      if (call === undefined) return null;
      return { row: { ...UNENDED, ...call.begun, ...call.end?.row }, payload: call.end?.payload ?? undefined } as unknown as UnfiledCall;
    },
    file: () => fileAll([...kept.values()]),
    close() {
      journal.file();
      cancel();
    },
  };

  for (const { is_end: isEnd, entry_json: json } of connection.all(db.selectFrom('call_journal').selectAll().orderBy('n').compile())) {
    const entry = splitRowSchema.parse(JSON.parse(json));
    if (isEnd === 1) noteEnded(entry);
    else noteBegun(entry.row);
    arrivals = Math.max(arrivals, Number(entry.row['seq'] ?? 0));
  }
  journal.file();
  return journal;
}

/** Whether all of an end stands in a row. */
function isOf(end: Values, row: object | undefined): boolean {
  const kept = new Map<string, unknown>(Object.entries(row ?? {}));
  return Object.entries(end).every(([column, value]) => kept.get(column) === value);
}

function idOf({ id }: Values): string {
  if (typeof id !== 'string') throw new TypeError('a call without an id');
  return id;
}
