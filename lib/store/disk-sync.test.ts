import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDiskSync } from './disk-sync.ts';

/** On the disk of the project: folders for temporary files may lie in memory, where nothing is synced. */
const ON_DISK = path.resolve(import.meta.dirname, '../../.cache');

let folder: string;
beforeEach(() => {
  mkdirSync(ON_DISK, { recursive: true });
  folder = mkdtempSync(path.join(ON_DISK, 'sync-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('syncs the log of a real database for many that wait, again and again, and lets the database be closed', async () => {
  const file = path.join(folder, 'a.db');
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; create table notes (text text)');
  const disk = createDiskSync(`${file}-wal`);
  for (let round = 0; round < 3; round++) {
    db.exec(`insert into notes values ('${round}')`);
    expect(await Promise.all(Array.from({ length: 50 }, () => disk.settled()))).toHaveLength(50);
    db.exec('pragma wal_checkpoint(truncate)');
  }
  await disk.close();
  db.close();
  const again = new DatabaseSync(file, { readOnly: true });
  expect(again.prepare('select count(*) as n from notes').get()).toEqual({ n: 3 });
  again.close();
});

it('tells those that wait when the log cannot be opened, and tries anew', async () => {
  const disk = createDiskSync(path.join(folder, 'missing.db-wal'));
  await expect(disk.settled()).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(disk.settled()).rejects.toMatchObject({ code: 'ENOENT' });
  await disk.close();
});
