import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogRoom } from './log-room.ts';
import type { LogRoom } from './log-room.ts';

const ROOM = 1_048_576;

let folder: string;
let file: string;
let db: DatabaseSync;
let room: LogRoom;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-room-'));
  file = path.join(folder, 'a.db');
  db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; create table notes (text text)');
  room = createLogRoom(`${file}-wal`);
});

afterEach(() => {
  room.close();
  db.close();
  rmSync(folder, { recursive: true });
});

function write(text: string): void {
  db.exec('begin immediate');
  room.keep();
  db.prepare('insert into notes values (?)').run(text);
  db.exec('commit');
}

const logSize = () => statSync(`${file}-wal`).size;

/** What the next start would find if the host were killed now. */
function afterCrash(): unknown {
  const copy = path.join(folder, 'copy.db');
  copyFileSync(file, copy);
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  const found = new DatabaseSync(copy);
  const texts = found
    .prepare('select text from notes order by rowid')
    .all()
    .map((row) => row['text']);
  expect(found.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  found.close();
  rmSync(`${copy}-wal`, { force: true });
  return texts;
}

it('lets the log grow once for many commits, and takes nothing away from it', () => {
  const before = logSize();
  const texts = Array.from({ length: 20 }, (_, at) => `note ${at}`);
  for (const text of texts) {
    write(text);
    expect(logSize()).toBe(before + ROOM);
  }
  expect(afterCrash()).toEqual(texts);
});

it('makes more room when the log has outgrown it, each time behind what is written', () => {
  const large = 'x'.repeat(400_000);
  const texts = Array.from({ length: 9 }, (_, at) => `${at} ${large}`);
  for (const [at, text] of texts.entries()) {
    write(text);
    expect(afterCrash()).toEqual(texts.slice(0, at + 1));
  }
  expect(logSize()).toBeGreaterThan(3 * ROOM);
});

it('keeps the size of a log that is begun anew, and makes room again when it was cut', () => {
  write('one');
  const size = logSize();
  db.exec('pragma wal_checkpoint(restart)');
  write('two');
  expect(logSize()).toBe(size);
  db.exec('pragma wal_checkpoint(truncate)');
  write('three');
  expect(afterCrash()).toEqual(['one', 'two', 'three']);
  write('four');
  expect(logSize()).toBeGreaterThan(ROOM);
  expect(afterCrash()).toEqual(['one', 'two', 'three', 'four']);
});

it('leaves an empty log to SQLite, and writes on without one that can be opened', () => {
  db.exec('pragma wal_checkpoint(truncate)');
  room.keep();
  expect(logSize()).toBe(0);
  const none = createLogRoom(path.join(folder, 'missing.db-wal'));
  none.keep();
  none.close();
  const notAFile = createLogRoom(folder);
  notAFile.keep();
  notAFile.close();
  write('one');
  expect(afterCrash()).toEqual(['one']);
});

it('reads nothing into zeros behind a log of which only the head is there', () => {
  write('one');
  db.exec('pragma wal_checkpoint(restart)');
  const log = readFileSync(`${file}-wal`);
  const crashed = path.join(folder, 'crashed.db');
  copyFileSync(file, crashed);
  writeFileSync(`${crashed}-wal`, Buffer.concat([log.subarray(0, 32), Buffer.alloc(ROOM)]));
  const found = new DatabaseSync(crashed);
  expect(found.prepare('select text from notes').all()).toEqual([{ text: 'one' }]);
  found.close();
});
