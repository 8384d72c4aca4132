import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import {
  callQuery,
  finishPayloadQuery,
  finishQuery,
  insertPayloadQuery,
  insertRunningQuery,
  foundCallPageQuery,
  foundSeqsQuery,
} from '../call-queries.ts';
import { damaged, LARGE_TABLES, openDatabaseFile } from './database-file.ts';
import type { Durability } from './database-file.ts';
import type { CallWriter, Database } from '../database.ts';
import { SQLITE } from '../dialect.ts';
import { createFreeSpace } from './free-space.ts';
import { createConnection } from './sqlite-connection.ts';
import type { Connection } from './sqlite-connection.ts';
import { diskFull } from '../storage-error.ts';
import { createWriteQueue } from './write-queue.ts';
import type { WriteQueue } from './write-queue.ts';
import { type CallSearch, marksFor, matchExpression, type SearchWord } from '../search-words.ts';
import { sql } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import type { SeqRange } from '../call-queries.ts';
import { createSearchIndex } from './search-index.ts';
import type { SearchIndexOptions } from './search-index.ts';
import { createSearchTerms } from './search-terms.ts';

export interface SqliteOptions {
  /** Absolute path of the database; its folder is created when missing. */
  readonly file: string;
  /** How long a write waits for another process's lock before it is refused. */
  readonly lockedMs: number;
  /** Above this size the large tables are not checked before a start, but in the background after an unclean stop. */
  readonly fullCheckBytes?: number | undefined;
  /** A commit survives the end of the process, or also a power failure. */
  readonly durability: Durability;
}

export type OpenDatabase =
  | { readonly ok: true; readonly database: Database; readonly examined: Promise<string | null> | null }
  | { readonly ok: false; readonly reason: string };

/** Opens or creates the file with two connections: one writes, in groups; one reads, and never waits for writes. */
export async function openSqlite({ file, lockedMs, fullCheckBytes, durability }: SqliteOptions): Promise<OpenDatabase> {
  const opened = openDatabaseFile({ file, lockedMs, fullCheckBytes, durability });
  if (!opened.ok) return opened;
  const folder = path.dirname(file);
  const writer = createConnection(opened.db, folder);
  const reader = createConnection(new DatabaseSync(file, { readOnly: true, timeout: 0 }), folder);
  const queue = createWriteQueue({
    connection: writer,
    space: createFreeSpace(folder),
    full: () => diskFull(folder),
    lockedMs,
    probe: () => opened.db.exec("update counters set value = value where name = 'event_ids'"),
  });
  const search = await createSqliteSearch({ writer, reader, queue });
  const pages = opened.isDoubtful ? checkPages(file, LARGE_TABLES) : null;
  let damage: string | null = null;

  return {
    ok: true,
    examined: pages === null ? null : pages.fault.then((fault) => (damage = fault === null ? null : damaged(file, fault))),
    database: {
      dialect: SQLITE,
      read: reader.db,
      write: (work, options) => queue.run(() => work(writer.db), options),
      statement: (work) => queue.run(() => work(writer.db)),
      writer: createCallWriter(writer, queue, search),
      search,
      shared: null,
      health: () => (damage === null ? queue.health() : { ok: false, reason: damage }),
      async close() {
        await pages?.close();
        await queue.close();
        search.close();
        reader.close();
        writer.close();
      },
    },
  };
}

/** Its writes run without a turn of the event loop between them, with statements that are prepared once. */
function createCallWriter(connection: Connection, queue: WriteQueue, search: CallSearch): CallWriter {
  const { db } = connection;
  const insertRunning = connection.prepare(insertRunningQuery(db));
  const insertPayload = connection.prepare(insertPayloadQuery(db));
  const finish = connection.prepare(finishQuery(db));
  const finishPayload = connection.prepare(finishPayloadQuery(db));

  return {
    insertRunning({ row, payload }) {
      const work = (): void => {
        insertRunning(row);
        if (payload !== null) insertPayload(payload);
      };
      return queue.run(work, { onCommitted: search.noteInserted, needsSpace: true });
    },

    finish({ row, payload }) {
      const id = String(row['id']);
      const work = (): void | Promise<void> => {
        if (finish(row).changes === 0) return refuseUnlessStored(id, row);
        if (payload !== null) finishPayload(payload);
      };
      return queue.run(work, { onCommitted: () => search.noteFinished(id) });
    },
  };

  async function refuseUnlessStored(id: string, end: Readonly<Record<string, unknown>>): Promise<void> {
    const row = await callQuery(db, id).executeTakeFirst();
    const isKept = row !== undefined && Object.entries(row).every(([column, value]) => !(column in end) || end[column] === value);
    if (!isKept) throw new Error(`Call ${id} is not running, so it cannot be finished.`);
  }
}

/**
 * After an unclean stop, every page of the large tables is checked in a separate thread: at ten milliseconds per
 * megabyte, a start could not wait for it.
 *
 * What can go wrong: the store is closed meanwhile (the thread ends without a result); the thread cannot start or the
 * file cannot be read (reported as no problem: SQLite refuses reads and writes of such a page anyway).
 */
interface PageCheck {
  /** The damage, in SQLite's words; null: none, or the check was stopped. */
  readonly fault: Promise<string | null>;
  close(): Promise<void>;
}

/** As text, because a bundled server has no file of it. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(workerData.file, { readOnly: true, timeout: 5000 });
let fault = null;
try {
  for (const table of workerData.tables) {
    const text = String(db.prepare('pragma quick_check("' + table + '")').get()?.quick_check ?? 'ok');
    if (text !== 'ok') fault ??= text.split('\\n').slice(0, 2).join(' ');
  }
} catch (error) {
  if (/malformed|corrupt/.test(String(error))) fault = error.message;
} finally {
  db.close();
}
parentPort.postMessage(fault);
`;

function checkPages(file: string, tables: readonly string[]): PageCheck {
  const worker = new Worker(PROGRAM, { eval: true, env: {}, workerData: { file, tables } });
  worker.unref();
  const { promise: fault, resolve } = Promise.withResolvers<string | null>();
  worker.once('message', (found: unknown) => resolve(typeof found === 'string' ? found : null));
  worker.once('error', () => resolve(null));
  worker.once('exit', () => resolve(null));
  return {
    fault,
    close: async () => void (await worker.terminate()),
  };
}

/**
 * Full-text search, newest first by arrival, at a cost that depends on the results and not on the history. What can go
 * wrong:
 * - a common word with a rare filter: the index contains the filter as marks (search-words.ts);
 * - calls indexed before marks existed: they are all older than the marked ones, and are queried after them;
 * - a common prefix (search-terms.ts);
 * - a common word and a time long ago: the time is converted to arrivals, so that the scan begins there.
 */

/** For so many calls in a time span, the arrivals are looked up one by one. */
const SPAN_MOST = 100_000;
/** Skipping so many newer calls costs less than finding the first arrival before them. */
const NEWER_MOST = 10_000;

async function createSqliteSearch(options: SearchIndexOptions): Promise<CallSearch> {
  const { db } = options.reader;
  const search = await createSearchIndex(options);
  const terms = await createSearchTerms(db);

  async function collect<Row>(
    filter: CallSelection,
    words: readonly SearchWord[],
    most: number,
    below: number,
    ask: (match: string, range: SeqRange, most: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    await search.catchUp();
    const range = await rangeOf(filter, below);
    const marks = marksFor(filter);
    const unmarked = marks.length === 0 ? 0 : search.unmarkedUpTo();
    const wanted = await matchExpression(words, terms);
    const marked = marks.map((one) => `(${one.map((mark) => `"${mark}"`).join(' OR ')})`);
    const match = [...marked, wanted].join(' AND ');
    const newer = await ask(match, { ...range, above: Math.max(range.above, unmarked) }, most);
    if (unmarked <= range.above || newer.length >= most) return newer;
    return [...newer, ...(await ask(wanted, { ...range, below: Math.min(range.below, unmarked + 1) }, most - newer.length))];
  }

  async function rangeOf({ since, until }: CallSelection, below: number): Promise<SeqRange> {
    if (since === undefined && until === undefined) return { above: 0, below };
    const from = since === undefined ? 0 : Date.parse(since);
    const end = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
    const { least, most, count } = await extent(from, end, SPAN_MOST);
    if (count < SPAN_MOST) return { above: (least ?? below) - 1, below: Math.min(below, (most ?? 0) + 1) };
    if (until === undefined || (await extent(end, Number.MAX_SAFE_INTEGER, NEWER_MOST)).count < NEWER_MOST) return { above: 0, below };
    return { above: 0, below: Math.min(below, ((await extent(from, end, null)).most ?? 0) + 1) };
  }

  /** The first and last arrival of the calls that began in a time span, read from the index by start. */
  async function extent(
    from: number,
    end: number,
    limit: number | null,
  ): Promise<{ least: number | null; most: number | null; count: number }> {
    let within = db.selectFrom('calls').select('seq').where('started_at', '>=', from).where('started_at', '<', end);
    if (limit !== null) within = within.limit(limit);
    const query = db
      .selectFrom(within.as('within'))
      .select([sql<number | null>`min(seq)`.as('least'), sql<number | null>`max(seq)`.as('most'), sql<number>`count(*)`.as('count')]);
    return (await query.executeTakeFirst()) ?? { least: null, most: null, count: 0 };
  }

  return {
    noteInserted: search.noteInserted,
    noteFinished: search.noteFinished,
    noteAllFinished: search.noteAllFinished,
    page: (filter, words, beforeSeq) =>
      collect(filter, words, filter.limit + 1, beforeSeq ?? Number.MAX_SAFE_INTEGER, (match, range, most) =>
        foundCallPageQuery(db, filter, match, range, most).execute(),
      ),
    newestSeqs: (filter, words, most) =>
      collect(filter, words, most, Number.MAX_SAFE_INTEGER, async (match, range, left) =>
        (await foundSeqsQuery(db, match, range, left).execute()).map((row) => row.rowid),
      ),
    // Ordered by arrival, not by start.
    filtered: async () => null,
    async remove(writer, seqs) {
      await sql`delete from call_search where rowid in ${SQLITE.numbers(seqs)}`.execute(writer);
    },
    close: search.close,
  };
}
