import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createCallJournal } from './call-journal.ts';
import { readCounter } from './counters.ts';
import { MIGRATIONS } from './migrations.ts';
import { createQueryBuilder } from './query-builder.ts';
import { recordFilesOf } from './record-file.ts';
import { readRecords } from './record-text.ts';
import { createConnection } from './sqlite-connection.ts';

/**
 * The calls that a server has answered for and not filed yet, for a copy of its database. They are read before the copy is made, so
 * that each call is in one or the other. What can go wrong: a file is written while it is read, or begun anew (its records end where
 * they do not fit each other; those that were there are filed by then); the copy is of a version that writes none.
 */
export type UnfiledRecords = readonly Buffer[];

export function readUnfiled(database: string): UnfiledRecords {
  return recordFilesOf(database)
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file));
}

/** Files those which the copy does not have. */
export function fileUnfiled(copy: string, unfiled: UnfiledRecords, folder: string): void {
  const database = new DatabaseSync(copy);
  try {
    if (Number(database.prepare('pragma user_version').get()?.['user_version']) !== MIGRATIONS.length) return;
    const db = createQueryBuilder();
    const connection = createConnection(database, folder);
    const key = readCounter(connection, db, 'call_records_key');
    const filed = readCounter(connection, db, 'call_records_filed');
    const records = unfiled.flatMap((bytes) => readRecords(bytes, key).records);
    const found = records.filter(({ number, text }) => number >= filed && text !== '').toSorted((one, two) => one.number - two.number);
    const now = <Value>(work: () => Value): Value => {
      connection.begin();
      const value = work();
      connection.commit();
      return value;
    };
    createCallJournal({
      connection,
      db,
      queue: { now, whenOnDisk: () => null },
      log: {
        found,
        append: (_, done) => done(new Error('a copy takes no calls'), -1),
        unanswered: () => (found.at(-1)?.number ?? filed - 1) + 1,
        isToBeReleased: () => false,
        release: () => undefined,
        close: async () => undefined,
      },
      sync: async () => undefined,
      explain: (error) => error,
    });
  } finally {
    database.close();
  }
}
