import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { createCallsToIndex } from '../calls-to-index.ts';
import { readCounter, writeCounter } from '../counters.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from '../storage-error.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * The full-text index over calls, updated outside of the transactions that calls wait for. It is filled when few calls
 * are written, in parts when they never pause, and before each search. What can go wrong:
 * - a crash between a call and its indexing: a watermark on disk marks the last finally indexed call, and the rest is
 *   indexed again (indexing a call twice is harmless);
 * - a call indexed while it ran ends later: it is indexed again, and holds the watermark back until then;
 * - the database is locked during a search: the search answers from the indexed calls;
 * - a result of megabytes would block everything: only the beginnings of the values of a call are indexed, in a
 *   transaction without other calls and without a merge;
 * - an older version indexed without marks, or without the letters of Chinese, Thai and similar scripts as terms: such
 *   calls are indexed again when idle, newest first, in small parts.
 */

const LOOK_MS = 250;
/** So many writes of calls between two checks mean that the server is busy. */
const BUSY_FROM = 200;
/**
 * With more calls than this waiting, parts are indexed without pauses: a search has to index the rest before it
 * answers.
 */
export const BACKLOG_MOST = 10_000;
const BETWEEN_PIECES_MS = 5;
const BETWEEN_QUIET_PIECES_MS = 10;
/** A search waits no longer for a lock of another process; the index is updated later. */
const LOCKED_MS = 100;
/**
 * FTS5 would merge segments within a commit, for 100 ms and more, so each part merges this many pages (migration 0024).
 */
const MERGE_PAGES = 16;

export interface SearchIndex {
  /** A call was written: indexing is due. */
  noteInserted(): void;
  noteFinished(id: string): void;
  /** No call is running any more. */
  noteAllFinished(): void;
  /**
   * Indexes everything written so far, as far as the database allows it, with a turn of the event loop between parts.
   */
  catchUp(): Promise<void>;
  /** The calls up to this one are indexed without marks; 0 when there are none. */
  unmarkedUpTo(): number;
  close(): void;
}

/** `full`: the part had the maximum size, so more may be waiting. */
type Indexed = 'nothing' | 'some' | 'full';

export interface SearchIndexOptions {
  readonly writer: Connection;
  readonly reader: Connection;
  readonly queue: WriteQueue;
}

export async function createSearchIndex({ writer, reader, queue }: SearchIndexOptions): Promise<SearchIndex> {
  /** Every call up to this one was indexed at least once. */
  let highest = await readCounter(reader.db, 'search_watermark');
  let watermark = highest;
  let unmarked = await readCounter(reader.db, 'search_unmarked');
  /** The calls up to this one may have been indexed by an older version. */
  let old = Math.max(unmarked, await readCounter(reader.db, 'search_old'));
  const indexedWhileRunning = new Map<string, number>();
  const endedSince = new Map<string, number>();
  /** Calls that ended since a part was begun: its text of them may be of a running call. */
  let endedDuring: Set<string> | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** Calls that wait to be indexed. */
  let backlog = 0;
  /** Writes since the last check. */
  let recent = 0;
  let isCatchingUp = false;
  let isMerged = false;
  let isClosed = false;
  /** One part is indexed at a time. */
  let indexing: Promise<unknown> = Promise.resolve();
  const waiting = createCallsToIndex(reader);
  const insert = writer.prepare(sql`insert or replace into call_search (rowid, text) values (${'seq'}, ${'text'})`.compile(writer.db));
  const mergeSome = sql`insert into call_search (call_search, rank) values ('merge', ${sql.lit(MERGE_PAGES)})`;
  const changes = sql<{ total: number }>`select total_changes() as total`;

  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = indexing.then(work);
    indexing = done.catch(() => undefined);
    return done;
  }

  function note(calls: number): void {
    backlog += calls;
    recent += 1;
    plan(LOOK_MS);
  }

  function plan(ms: number): void {
    if (!isClosed) timer ??= setTimeout(() => void inTurn(work), ms).unref();
  }

  async function work(): Promise<void> {
    timer = null;
    const isBusy = recent > BUSY_FROM;
    recent = 0;
    if (isClosed) return;
    if (isBusy && !isCatchingUp && backlog <= BACKLOG_MOST) return plan(LOOK_MS);
    isCatchingUp = (await indexBatch()) === 'full';
    if (isCatchingUp) plan(BETWEEN_PIECES_MS);
    else if (old > 0) plan((await indexOldBatch()) ? LOOK_MS : BETWEEN_QUIET_PIECES_MS);
    else if (!isMerged) plan((await write(merge)) ? BETWEEN_QUIET_PIECES_MS : LOOK_MS);
  }

  /** False: the database refused. */
  async function write(change: () => Promise<void>): Promise<boolean> {
    try {
      await queue.run(change, { lockedMs: LOCKED_MS });
      return true;
    } catch (error) {
      if (!isStorageError(error)) throw error;
      return false;
    }
  }

  async function merge(): Promise<void> {
    const before = await totalChanges();
    await mergeSome.execute(writer.db);
    // FTS5's sign that there was nothing to do.
    isMerged = (await totalChanges()) - before < 2;
  }

  async function totalChanges(): Promise<number> {
    return (await changes.execute(writer.db)).rows[0]?.total ?? 0;
  }

  /**
   * Indexes calls from an older version again, newest first, where it makes a difference. True: pause longer before the
   * next part.
   */
  async function indexOldBatch(): Promise<boolean> {
    const { calls, left, isLarge } = waiting.newestUpTo(old, unmarked);
    const isWritten = await write(async () => {
      for (const { seq, text } of calls) insert({ seq, text });
      if (isLarge) isMerged = false;
      else await merge();
      if (left < unmarked) await writeCounter(writer.db, 'search_unmarked', left);
      await writeCounter(writer.db, 'search_old', left);
    });
    if (!isWritten) return true;
    unmarked = Math.min(unmarked, left);
    old = left;
    return isLarge;
  }

  async function indexBatch(): Promise<Indexed> {
    const ended = new Set<string>();
    endedDuring = ended;
    const { calls, isFull, isLarge } = waiting.next(endedSince.values(), highest);
    if (calls.length === 0) {
      backlog = 0;
      return 'nothing';
    }
    const last = Math.max(highest, ...calls.map((call) => call.seq));
    const stillRunning = new Map(indexedWhileRunning);
    const stillEnded = new Map(endedSince);
    for (const { id, seq, isRunning } of calls) {
      if (isRunning) stillRunning.set(id, seq);
      stillEnded.delete(id);
    }
    const mark = Math.min(last, ...[...stillRunning.values(), ...stillEnded.values()].map((seq) => seq - 1));
    const isWritten = await write(async () => {
      for (const { seq, text } of calls) insert({ seq, text });
      if (isLarge) isMerged = false;
      else await merge();
      if (mark !== watermark) await writeCounter(writer.db, 'search_watermark', mark);
    });
    if (!isWritten) {
      plan(LOOK_MS);
      return 'nothing';
    }
    watermark = mark;
    highest = last;
    for (const { id, seq, isRunning } of calls) {
      endedSince.delete(id);
      if (isRunning) (ended.has(id) ? endedSince : indexedWhileRunning).set(id, seq);
    }
    endedDuring = null;
    backlog = isFull ? Math.max(0, backlog - calls.length) : 0;
    return isFull ? 'full' : 'some';
  }

  if (old > 0 || (await hasBacklog())) plan(LOOK_MS);

  async function hasBacklog(): Promise<boolean> {
    return (await reader.db.selectFrom('calls').select('seq').where('seq', '>', highest).limit(1).executeTakeFirst()) !== undefined;
  }

  return {
    noteInserted: () => note(1),
    noteFinished(id) {
      const seq = indexedWhileRunning.get(id);
      endedDuring?.add(id);
      if (seq !== undefined) {
        indexedWhileRunning.delete(id);
        endedSince.set(id, seq);
      }
      note(seq === undefined ? 0 : 1);
    },
    noteAllFinished() {
      for (const [id, seq] of indexedWhileRunning) endedSince.set(id, seq);
      note(indexedWhileRunning.size);
      indexedWhileRunning.clear();
    },
    async catchUp() {
      while ((await inTurn(indexBatch)) === 'full') await turn();
    },
    unmarkedUpTo: () => unmarked,
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
