import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { callQuery, finishPayloadQuery, finishQuery, insertPayloadQuery, insertRunningQuery } from '../call-queries.ts';
import { damaged, LARGE_TABLES, openDatabaseFile } from './database-file.ts';
import type { Durability } from './database-file.ts';
import type { CallWriter, Database } from '../database.ts';
import { SQLITE } from '../dialect.ts';
import { createSqliteSearch } from './found-calls.ts';
import { createFreeSpace } from './free-space.ts';
import { createConnection } from './sqlite-connection.ts';
import type { Connection } from './sqlite-connection.ts';
import { diskFull } from '../storage-error.ts';
import { createWriteQueue } from './write-queue.ts';
import type { WriteQueue } from './write-queue.ts';
import type { CallSearch } from '../call-search.ts';

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
