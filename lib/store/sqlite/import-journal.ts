import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import * as z from 'zod';

/**
 * Until migration 0023 a call was first written to one of two files beside the database, and from there to `calls`.
 * Records left in them by a killed server are imported into `calls` here, once, in one transaction with the removal of
 * the key that identifies the files. What can go wrong:
 * - the process dies before the files are removed: the key is gone, so the next start removes them unread;
 * - the end of a file is half-written, or left over from an earlier round: each record has a checksum over all before
 *   it;
 * - a record has other columns than the table: those are left out, and so is a row that is invalid without them;
 * - a record is in `calls` already: the row stays, and a running one gets its end.
 */
export function importJournal(file: string, db: DatabaseSync): void {
  const files = journalFilesOf(file).filter((each) => existsSync(each));
  const key = readCounter(db, 'call_records_key');
  if (key !== undefined) {
    const filed = readCounter(db, 'call_records_filed') ?? 0;
    const records = files
      .flatMap((each) => readRecords(readFileSync(each), key))
      .filter(({ number, text }) => number >= filed && text !== '')
      .toSorted((one, two) => one.number - two.number);
    db.exec('begin immediate');
    try {
      insertRecords(
        db,
        records.map(({ text }) => text),
      );
      db.exec("delete from counters where name in ('call_records_key', 'call_records_filed')");
      db.exec('commit');
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  }
  for (const each of files) rmSync(each);
}

export function journalFilesOf(database: string): readonly [string, string] {
  return [`${database}-calls-a`, `${database}-calls-b`];
}

function readCounter(db: DatabaseSync, name: string): number | undefined {
  const value = db.prepare('select value from counters where name = ?').get(name)?.['value'];
  return value === undefined ? undefined : Number(value);
}

/** Length and checksum, 4 bytes each, then the number as a double, then the text in UTF-8. */
const HEAD_BYTES = 16;
const NUMBER_AT = 8;

/** The complete records of a file, consecutive from its beginning. */
function readRecords(bytes: Buffer, key: number): { number: number; text: string }[] {
  const records: { number: number; text: string }[] = [];
  let check = key;
  for (let at = 0; at + HEAD_BYTES <= bytes.length;) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length) break;
    check = crc32(bytes.subarray(at + NUMBER_AT, end), check);
    if (check !== bytes.readUInt32LE(at + 4)) break;
    records.push({ number: bytes.readDoubleLE(at + NUMBER_AT), text: bytes.toString('utf8', at + HEAD_BYTES, end) });
    at = end;
  }
  return records;
}

/** A record is one of these letters and JSON: a row, or a row and its payload. */
const BEGUN = 'b';

const valuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const endSchema = z.object({ row: valuesSchema, payload: valuesSchema.nullable() });

type Values = z.infer<typeof valuesSchema>;

function insertRecords(db: DatabaseSync, texts: readonly string[]): void {
  const callColumns = columnsOf(db, 'calls');
  const payloadColumns = columnsOf(db, 'call_payloads');
  for (const text of texts) {
    const entry: unknown = JSON.parse(text.slice(1));
    if (text.startsWith(BEGUN)) {
      insertOrIgnore(db, 'calls', callColumns, { ...valuesSchema.parse(entry), status: 'running' });
      continue;
    }
    const { row, payload } = endSchema.parse(entry);
    const { id, ...end } = row;
    const columns = Object.keys(end).filter((column) => callColumns.has(column));
    const ended = db
      .prepare(`update calls set ${columns.map((column) => `"${column}" = ?`).join(', ')} where id = ? and status = 'running'`)
      .run(...columns.map((column) => valueOf(end, column)), id ?? null);
    if (ended.changes === 0 || payload === null) continue;
    insertOrIgnore(db, 'call_payloads', payloadColumns, { ...payload, call_id: id ?? null });
  }
}

function columnsOf(db: DatabaseSync, table: 'calls' | 'call_payloads'): ReadonlySet<string> {
  return new Set(
    db
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map((row) => String(row['name'])),
  );
}

/** Does nothing when the row exists, or when a required column is missing. */
function insertOrIgnore(db: DatabaseSync, table: string, known: ReadonlySet<string>, values: Values): void {
  const columns = Object.keys(values).filter((column) => known.has(column));
  const names = columns.map((column) => `"${column}"`).join(', ');
  db.prepare(`insert or ignore into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`).run(
    ...columns.map((column) => valueOf(values, column)),
  );
}

function valueOf(values: Values, column: string): SQLInputValue {
  return values[column] ?? null;
}
