import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCheckpoints } from './checkpoints.ts';

let folder: string;
let file: string;
let db: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'checkpoints-'));
  file = path.join(folder, 'switchboard.db');
  db = new DatabaseSync(file, { timeout: 0 });
  // SQLite itself copies nothing.
  db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table notes (text text)');
});
afterEach(() => {
  if (db.isOpen) db.close();
  rmSync(folder, { recursive: true });
});

const pagesOfLog = (): number => Number(db.prepare('pragma wal_checkpoint(noop)').get()?.['log']);

/** As the write queue does: a write that finds the database locked is repeated. */
function write(): void {
  try {
    db.exec('insert into notes values (hex(randomblob(2000)))');
  } catch (error) {
    expect(error).toMatchObject({ errstr: 'database is locked' });
  }
}

it('starts a long log over while writes go on', async () => {
  const checkpoints = createCheckpoints(db, file, 100);
  let longest = 0;
  while (pagesOfLog() >= longest) {
    longest = pagesOfLog();
    write();
    checkpoints.afterCommit();
    await setImmediate();
  }
  expect(longest).toBeGreaterThanOrEqual(100);
  await checkpoints.close();
});

it('lets the last connection remove the log', async () => {
  const checkpoints = createCheckpoints(db, file, 100);
  while (pagesOfLog() < 200) {
    write();
    checkpoints.afterCommit();
  }
  await checkpoints.close();
  db.close();
  expect(existsSync(`${file}-wal`)).toBe(false);
});

it('changes nothing for writes when its thread cannot open the file', async () => {
  const checkpoints = createCheckpoints(db, path.join(folder, 'absent', 'switchboard.db'), 100);
  while (pagesOfLog() < 200) {
    write();
    checkpoints.afterCommit();
  }
  await checkpoints.close();
  expect(pagesOfLog()).toBeGreaterThanOrEqual(200);
});
