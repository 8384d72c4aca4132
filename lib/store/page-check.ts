import { Worker } from 'node:worker_threads';

/**
 * After a stop that was not clean, every page of the large tables is looked at in a thread of its own, beside the work: at
 * ten milliseconds a megabyte a start could not wait for it.
 *
 * What can go wrong: the store is closed meanwhile (the thread is ended, nothing is told); the thread cannot be started or
 * the file not be read (told as nothing found: whoever reads or writes such a page is refused by SQLite anyway).
 */
export interface PageCheck {
  /** What is wrong with the file, in SQLite's words; null: nothing, or the check was broken off. */
  readonly fault: Promise<string | null>;
  close(): Promise<void>;
}

/** By its text, since a server that runs from a bundle has no file of it. */
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

export function checkPages(file: string, tables: readonly string[]): PageCheck {
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
