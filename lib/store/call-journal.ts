import { z } from 'zod';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import {
  callQuery,
  finishPayloadQuery,
  finishQuery,
  insertPayloadQuery,
  insertRunningQuery,
  insertWholeQuery,
  newestCallQuery,
} from './call-queries.ts';
import type { SplitRow, Values } from './call-rows.ts';
import { writeCounter } from './counters.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { RecordLog } from './record-log.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { StorageError } from './store.ts';
import type { CallPayloadsTable, CallsRow } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * The writes of calls. They go into a file first (record-log.ts), and are filed into `calls` many at a time: `calls` has eight
 * indexes, and a commit writes a page of each that it touched, whether one call was added or a hundred. What is not filed is kept
 * here as well, so that the file is read at a start alone.
 *
 * What can go wrong:
 * - the host dies: the next start files what the file holds above the number that the last filing wrote, calls without an end as
 *   calls that run; what is filed already stays as it is;
 * - the power fails, and takes the last filings: it takes their number as well, and a record is released when that is on the disk;
 * - somebody reads: all that is written is filed before (`file`), so a reader of `calls` need not look here;
 * - the database is locked when it is to be filed: readers see what is filed already, and a single call is found here, too;
 * - a call runs for long: it is filed as one that runs, and its end is written there, unless that is on its way here already;
 * - its values are large: they are not written twice;
 * - filing is refused for long while writing is not: from some thousand calls on, none is taken.
 */
export interface CallJournal {
  /** Whether a call can be begun; throws a StorageError where too many could not be filed, and an Error for one that is known. */
  admit(id: string): void;
  /** For values that were not cut. Resolves when it is on the disk. */
  begin(row: Values): Promise<void>;
  /** For others, within a transaction: into `calls` at once. */
  beginWhole(call: SplitRow): void;
  /** Null: it is not one of those that are not filed, or it is not the first end; so `endFiled` is to be asked. Resolves when it is on the disk. */
  end(end: SplitRow): Promise<void> | null;
  /** Within a transaction. The same end again is taken for done: its caller may not know that it is kept. Throws for any other call that does not run. */
  endFiled(end: SplitRow): void;
  /** One that is not filed yet. */
  find(id: string): UnfiledCall | null;
  /** Files everything; to be called before `calls` is read. False where the database does not let it. */
  file(): boolean;
  /** Takes no more, and files everything. */
  close(): Promise<void>;
}

export interface UnfiledCall {
  readonly row: CallsRow;
  readonly payload: Omit<CallPayloadsTable, 'call_id'> | undefined;
}

interface Kept {
  readonly id: string;
  /** Null where it was filed before its end came. */
  readonly begun: Values | null;
  /** That of its first record here. */
  readonly number: number;
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

/** A record is one of these letters and JSON: a row, or a row and its payload. */
const BEGUN = 'b';
const ENDED = 'e';

const valuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const splitRowSchema = z.object({ row: valuesSchema, payload: valuesSchema.nullable() });

export interface CallJournalOptions {
  readonly connection: Connection;
  readonly db: QueryBuilder;
  readonly queue: Pick<WriteQueue, 'now' | 'whenOnDisk'>;
  readonly log: Pick<RecordLog, 'found' | 'append' | 'unanswered' | 'isToBeReleased' | 'release' | 'close'>;
  /** Resolves when all that is committed by now is on the disk. */
  sync(): Promise<void>;
  /** What a refusal of the disk means to a caller. */
  explain(error: Error): Error;
}

export function createCallJournal({ connection, db, queue, log, sync, explain }: CallJournalOptions): CallJournal {
  const insertRunning = connection.prepare(insertRunningQuery(db));
  const insertWhole = connection.prepare(insertWholeQuery(db));
  const insertPayload = connection.prepare(insertPayloadQuery(db));
  const finish = connection.prepare(finishQuery(db));
  const finishPayload = connection.prepare(finishPayloadQuery(db));
  /** The number of the call that arrived last. It is given at the beginning, as calls are not filed in the order of their arrival. */
  let arrivals = connection.first(newestCallQuery(db))?.seq ?? 0;
  /** What is not filed, in order of arrival. */
  const kept = new ShortLivedMap<string, Kept>();
  let ended = 0;
  let timer: NodeJS.Timeout | null = null;
  let soon: NodeJS.Immediate | null = null;
  let isReleasing = false;
  /** Why they could not be filed last. */
  let refusal: StorageError | null = null;

  function noteBegun(begun: Values, number: number): void {
    const id = idOf(begun);
    kept.set(id, { id, begun, number, end: null, wasPassed: false });
    timer ??= setTimeout(fileEnded, FILE_AFTER_MS).unref();
  }

  function noteEnded(end: SplitRow, number: number): void {
    const id = idOf(end.row);
    const call = kept.get(id);
    if (call === undefined) kept.set(id, { id, begun: null, number, end, wasPassed: true });
    else call.end = end;
    timer ??= setTimeout(fileEnded, FILE_AFTER_MS).unref();
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
    let below = log.unanswered();
    for (const call of kept.values()) if (!filed.has(call)) below = Math.min(below, call.number);
    try {
      queue.now(
        () => {
          for (const call of calls) insert(call);
          writeCounter(connection, db, 'call_records_filed', below);
        },
        { isKeptElsewhere: true },
      );
    } catch (error) {
      if (!isStorageError(error)) throw error;
      refusal = error;
      return false;
    }
    refusal = null;
    for (const { id, end } of calls) {
      kept.delete(id);
      if (end !== null) ended -= 1;
    }
    if (log.isToBeReleased()) release(below);
    return true;
  }

  function insert({ begun, end }: Kept): void {
    if (end === null) return void (begun !== null && insertRunning(begun));
    const isNew = begun !== null && insertWhole({ ...begun, ...end.row }).changes > 0;
    if (!isNew && finish(end.row).changes === 0) return;
    if (end.payload !== null) finishPayload(end.payload);
  }

  function release(below: number): void {
    if (isReleasing) return;
    isReleasing = true;
    sync()
      .then(
        () => log.release(below),
        // The disk refuses: whoever waits for it is told.
        () => undefined,
      )
      .finally(() => {
        isReleasing = false;
      });
  }

  /** Resolves when the record is on the disk, with what it may rest upon, a revision say. */
  function append(text: string, note: (number: number) => void): Promise<void> {
    const before = queue.whenOnDisk();
    const written = new Promise<void>((resolve, reject) => {
      log.append(text, (error, number) => {
        if (error !== null) return reject(explain(error));
        note(number);
        resolve();
      });
    });
    if (before === null) return written;
    before.catch(() => undefined);
    return written.then(() => before);
  }

  const journal: CallJournal = {
    admit(id) {
      if (refusal !== null && kept.size >= KEPT_MOST) throw refusal;
      if (kept.has(id)) throw new Error(`Call ${id} was begun before.`);
    },
    begin(given) {
      arrivals += 1;
      const row = { ...given, seq: arrivals };
      return append(BEGUN + JSON.stringify(row), (number) => noteBegun(row, number));
    },
    beginWhole({ row, payload }) {
      arrivals += 1;
      if (insertRunning({ ...row, seq: arrivals }).changes === 0) throw new Error(`Call ${idOf(row)} was begun before.`);
      if (payload !== null) insertPayload(payload);
    },
    end(end) {
      const call = kept.get(idOf(end.row));
      if (call?.end !== null) return null;
      return append(ENDED + JSON.stringify(end), (number) => noteEnded(end, number));
    },
    endFiled(end) {
      const id = idOf(end.row);
      const call = kept.get(id);
      if (call === undefined && finish(end.row).changes > 0) {
        if (end.payload !== null) finishPayload(end.payload);
      } else if (!isOf(end.row, call === undefined ? connection.first(callQuery(db, id)) : call.end?.row))
        throw new Error(`Call ${id} is not running, so it cannot be finished.`);
    },
    find(id) {
      const call = kept.get(id);
      // What splitRunning and splitEnd made, which are the columns that the table has.
      if (call === undefined || call.begun === null) return null;
      return { row: { ...UNENDED, ...call.begun, ...call.end?.row }, payload: call.end?.payload ?? undefined } as unknown as UnfiledCall;
    },
    file: () => fileAll([...kept.values()]),
    async close() {
      await log.close();
      isReleasing = true;
      journal.file();
      cancel();
    },
  };

  for (const { number, text } of log.found) {
    const entry: unknown = JSON.parse(text.slice(1));
    if (text.startsWith(BEGUN)) noteBegun(valuesSchema.parse(entry), number);
    else noteEnded(splitRowSchema.parse(entry), number);
  }
  for (const { begun } of kept.values()) arrivals = Math.max(arrivals, Number(begun?.['seq'] ?? 0));
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
